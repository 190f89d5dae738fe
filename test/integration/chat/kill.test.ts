// @module-tag processes
// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '#src/platform/database.ts';
import { type AnswerReader, beginAnswer } from '#test/support/begin-answer.ts';
import { readChatBody } from '#test/support/chat-streams.ts';
import type { ServiceProcess } from '#test/support/child-process.ts';
import {
  answersText,
  END_EVENTS,
  type LlmScript,
  playsAndHangs,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { until, untilRecovered } from '#test/support/until.ts';

/** The sweep runs once a minute. */
const SWEEP_MS = 150_000;
const GRACE_SECONDS = 4;

const { TEST_DATABASE_URL: databaseUrl } = process.env;

interface Scene extends AsyncDisposable {
  readonly processes: TestProcesses;
  readonly llm: ScriptedLlm;
  play(script: LlmScript): void;
  begin(body?: object): Promise<AnswerReader>;
}

async function openScene(): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  let script: LlmScript = playsAndHangs(textEvent('Half an answer'));
  const llm = opened.use(await startLlm(() => script));
  const processes = opened.use(
    await openTestProcesses(() => ({
      LLM_BASE_URL: llm.baseUrl,
      LLM_MODEL: 'scripted',
      SHUTDOWN_TIMEOUT_SECONDS: String(GRACE_SECONDS),
    })),
  );
  const { url, key } = processes.service;
  const resources = opened.move();
  return {
    processes,
    llm,
    play: (next) => (script = next),
    begin: (body = {}) => beginAnswer({ url, adminKey: key }, body),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function messageOf(db: Database, id: number) {
  const row = await db
    .selectFrom('chat_message')
    .select(['content', 'error', 'finished_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ...row, isFinished: row.finished_at !== null };
}

/** Waits until the lines that a reader has seen are in the database. */
async function isSaved(db: Database, id: number): Promise<boolean> {
  const { rows } = await sql`select 1 from chat_run_part
    where chat_message_id = ${id} and lines::text like '%Half an answer%'`.execute(db);
  return rows.length > 0;
}

/** Simulates the expired lease of a dead process. */
async function expireLeases(db: Database): Promise<void> {
  await sql`update chat_run set alive_until = alive_until - interval '1 minute'
    where finished_at is null`.execute(db);
}

async function expectUsable(scene: Scene, sessionId: string): Promise<void> {
  const { processes } = scene;
  scene.play(answersText('All is well.'));
  const { body } = await processes.client.call('POST', '/chat/send-chat-message', {
    message: 'And now?',
    stream: false,
    chat_session_id: sessionId,
    allowed_tool_ids: [],
  });
  expect(body).toMatchObject({ answer: 'All is well.', error_msg: null });
  const { body: session } = await processes.client.call(
    'GET',
    `/chat/get-chat-session/${sessionId}`,
  );
  expect(session.messages).toHaveLength(5);
}

describe.skipIf(databaseUrl === undefined)(
  'an answer whose process is killed (needs TEST_DATABASE_URL)',
  () => {
    it('is ended by the sweep with what its readers have seen; its session is usable before that', async () => {
      await using scene = await openScene();
      const { processes, llm } = scene;
      const { db } = processes;
      const api = await processes.startApi();
      const reader = await scene.begin();
      await untilRecovered(() => isSaved(db, reader.messageId));
      await api.kill();
      await untilRecovered(async () => llm.inProgress() === 0);
      expect(await messageOf(db, reader.messageId)).toMatchObject({ isFinished: false });
      await processes.startApi();
      await expectUsable(scene, reader.sessionId);
      await expireLeases(db);
      await processes.startWorkers();
      await until(async () => (await messageOf(db, reader.messageId)).isFinished, SWEEP_MS);
      expect(await messageOf(db, reader.messageId)).toMatchObject({
        content: 'Half an answer',
        error: expect.stringMatching(/service stopped/) as unknown,
      });
      const { body } = await processes.client.call(
        'GET',
        `/chat/get-chat-session/${reader.sessionId}`,
      );
      expect(JSON.stringify(body.messages)).toContain('Half an answer');
      await expectNoRuns(db);
    });

    it('is followed from another process until its process is known to be dead', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      const { db, service } = processes;
      const api = await processes.startApi();
      const reader = await scene.begin();
      await untilRecovered(() => isSaved(db, reader.messageId));
      await api.kill();
      await processes.startApi();
      const path = `/chat/chat-session/${reader.sessionId}/resume-stream`;
      const followed = fetch(service.url + path, {
        headers: { authorization: `Bearer ${service.key}` },
      }).then((response) => response.text());
      await expireLeases(db);
      const { packets } = readChatBody(200, await followed);
      expect(JSON.stringify(packets)).toContain('Half an answer');
      expect(packets.at(-1)?.obj).toMatchObject({
        type: 'error',
        message: expect.stringMatching(/service stopped/) as unknown,
      });
    });
  },
);

describe.skipIf(databaseUrl === undefined)(
  'a process that is told to stop while it answers (needs TEST_DATABASE_URL)',
  () => {
    it('lets answers finish that end in time, and accepts no new ones', async () => {
      await using scene = await openScene();
      const { processes } = scene;
      const gate = Promise.withResolvers<void>();
      scene.play(async (response) => {
        await playsAndHangs(textEvent('Half an answer'))(response);
        await gate.promise;
        response.end(textEvent(' and the rest.') + END_EVENTS);
      });
      const api = await processes.startApi();
      const reader = await scene.begin();
      api.signal('SIGTERM');
      await untilRecovered(() =>
        scene.begin().then(
          () => false,
          () => true,
        ),
      );
      gate.resolve();
      const { packets } = readChatBody(200, await reader.rest());
      expect(packets.at(-1)?.obj).toMatchObject({ type: 'stop', stop_reason: null });
      expect(await api.ended(60_000)).toBe(0);
      expect(await messageOf(processes.db, reader.messageId)).toMatchObject({
        content: 'Half an answer and the rest.',
        error: null,
      });
      expectNoErrors(api);
    });

    it('saves the partial text of the others and ends within its deadline', async () => {
      await using scene = await openScene();
      const { processes, llm } = scene;
      const { db } = processes;
      const api = await processes.startApi();
      const readers = await Promise.all(Array.from({ length: 10 }, () => scene.begin()));
      api.signal('SIGTERM');
      // The models would never finish.
      expect(await api.ended(15 * GRACE_SECONDS * 1_000)).toBe(0);
      await untilRecovered(async () => llm.inProgress() === 0);
      for (const { messageId } of readers) {
        expect(await messageOf(db, messageId)).toMatchObject({
          content: 'Half an answer',
          isFinished: true,
          error: expect.stringMatching(/service is stopping/) as unknown,
        });
      }
      const { packets } = readChatBody(200, (await readers[0]?.rest()) ?? '');
      expect(packets.at(-1)?.obj).toMatchObject({ type: 'error', is_retryable: true });
      await expectNoRuns(db);
      expectNoErrors(api);
      await processes.startApi();
      await expectUsable(scene, readers[0]?.sessionId ?? '');
    });
  },
);

async function expectNoRuns(db: Database): Promise<void> {
  const { rows } = await sql`select 1 from chat_run where finished_at is null`.execute(db);
  expect(rows).toEqual([]);
}

function expectNoErrors({ lines }: ServiceProcess): void {
  expect(lines.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([]);
}
