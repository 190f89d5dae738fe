// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAnswerRuns } from '#src/chat/runs/answer-runs.ts';
import { followRun } from '#src/chat/runs/follow-run.ts';
import { sweepRuns } from '#src/chat/runs/sweep-runs.ts';
import { untilAbandoned } from '#src/chat/runs/until-abandoned.ts';
import { collectAnswer } from '#src/client/collect-answer.ts';
import { createMillraceClient } from '#src/client/millrace-client.ts';
import type { StreamLine } from '#src/client/packets.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { type AnswerReader, beginAnswer } from '#test/support/begin-answer.ts';
import { readChatBody } from '#test/support/chat-streams.ts';
import {
  END_EVENTS,
  type LlmScript,
  playsAndHangs,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { openTcpProxy } from '#test/support/tcp-proxy.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

/** Longer than any test, so a test that waits for it fails. */
const LONG = '3600';

let llm: ScriptedLlm;
let script: LlmScript;
let patient: TestMillrace;
let millrace: TestMillrace;

beforeAll(async () => {
  llm = await startLlm(() => script);
  patient = await start(LONG);
});
beforeEach(() => {
  millrace = patient;
});
afterAll(async () => {
  await patient[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

function start(resumeSeconds: string): Promise<TestMillrace> {
  return startTestMillrace({
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
    CHAT_RESUME_SECONDS: resumeSeconds,
  });
}

/** A model that sends the second half when the gate opens. */
function halves(): { openGate: () => void } {
  const gate = Promise.withResolvers<void>();
  script = async (response) => {
    await playsAndHangs(textEvent('Half '))(response);
    await gate.promise;
    response.end(textEvent('and whole.') + END_EVENTS);
  };
  return { openGate: gate.resolve };
}

const resume = (sessionId: string, query = '') =>
  millrace.call('GET', `/chat/chat-session/${sessionId}/resume-stream${query}`);

const lastOf = (text: string): unknown => readChatBody(200, text).packets.at(-1)?.obj;

const failure = (message: RegExp): unknown =>
  expect.objectContaining({
    type: 'error',
    message: expect.stringMatching(message) as unknown,
  }) as unknown;

async function messageOf({ messageId }: AnswerReader) {
  const row = await millrace.services.db
    .selectFrom('chat_message')
    .select(['content', 'error', 'finished_at'])
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow();
  return { ...row, isFinished: row.finished_at !== null };
}

/** Follows the answer as another process does, which sees only the rows. */
async function followElsewhere(
  { sessionId }: AnswerReader,
  cursor = 0,
): Promise<AsyncIterable<StreamLine>> {
  const { db, log, wait } = millrace.services;
  const { workspace_id, user_id } = await db
    .selectFrom('chat_session')
    .select(['workspace_id', 'user_id'])
    .where('id', '=', sessionId as ChatSessionId) // came from the service
    .executeTakeFirstOrThrow();
  return followRun(
    { db, wait, answerRuns: createAnswerRuns({ db, log }) },
    { workspaceId: workspace_id, userId: user_id },
    { sessionId: sessionId as ChatSessionId, cursor, signal: new AbortController().signal },
  );
}

describe('an answer whose reader lost the connection', () => {
  it('continues, and can be followed live from where the reader lost it', async () => {
    const { openGate } = halves();
    const reader = await beginAnswer(millrace);
    reader.leave();
    const resumed = resume(reader.sessionId, '?cursor=3');
    openGate();
    const { lines, packets } = readChatBody(200, (await resumed).text);
    expect(lines[0]).toMatchObject({ obj: { type: 'message_delta', content: 'Half' } });
    expect(packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: null });
    expect(await messageOf(reader)).toMatchObject({ content: 'Half and whole.', error: null });
  });

  it('completes without a reader and earns points for its asker', async () => {
    const { openGate } = halves();
    const points = async (): Promise<number> =>
      (await millrace.call('GET', '/gamification/status')).body.points;
    const before = await points();
    const reader = await beginAnswer(millrace);
    reader.leave();
    openGate();
    await until(async () => (await messageOf(reader)).isFinished);
    expect(await messageOf(reader)).toMatchObject({ content: 'Half and whole.', error: null });
    expect(lastOf((await resume(reader.sessionId)).text)).toEqual({
      type: 'stop',
      stop_reason: null,
    });
    await until(async () => (await points()) > before);
  });

  it('is one answer to a client that reconnects by itself', async () => {
    const { openGate } = halves();
    const { port } = new URL(millrace.url);
    const proxy = await openTcpProxy({ host: '127.0.0.1', port: Number(port) });
    await using closing = new AsyncDisposableStack();
    closing.defer(() => proxy.down());
    const client = createMillraceClient({
      baseUrl: `http://127.0.0.1:${proxy.port}`,
      apiKey: millrace.adminKey,
    });
    async function* broken(): AsyncGenerator<StreamLine> {
      let isBroken = false;
      for await (const line of client.chat.stream({ message: 'Tell me', allowed_tool_ids: [] })) {
        yield line;
        if (isBroken || !('obj' in line) || line.obj.type !== 'message_delta') continue;
        isBroken = true;
        await proxy.down();
        await proxy.up();
        openGate();
      }
    }
    expect(await collectAnswer(broken())).toMatchObject({
      answer: 'Half and whole.',
      error_msg: null,
    });
  });

  it('stops at once on request', async () => {
    script = playsAndHangs(textEvent('Half'));
    const reader = await beginAnswer(millrace);
    reader.leave();
    await millrace.call('POST', `/chat/stop-chat-session/${reader.sessionId}`);
    await until(async () => llm.inProgress() === 0);
    expect((await messageOf(reader)).content).toContain('stopped by the user');
    expect(lastOf((await resume(reader.sessionId)).text)).toMatchObject({
      type: 'stop',
      stop_reason: 'user_cancelled',
    });
  });

  it('does not delay the shutdown of its process', async () => {
    await using ending = await start(LONG);
    millrace = ending;
    script = playsAndHangs(textEvent('Half'));
    const reader = await beginAnswer(millrace);
    reader.leave();
    await millrace.services.answerRuns.close();
    expect(await messageOf(reader)).toMatchObject({
      content: 'Half',
      error: expect.stringMatching(/service is stopping/) as unknown,
    });
    expect(lastOf((await resume(reader.sessionId)).text)).toEqual(failure(/service is stopping/));
  });

  it('ends when nobody reconnects in time, and late readers get the reason', async () => {
    await using impatient = await start('1');
    millrace = impatient;
    script = playsAndHangs(textEvent('Half'));
    const reader = await beginAnswer(millrace);
    reader.leave();
    await until(async () => (await messageOf(reader)).isFinished);
    await until(async () => llm.inProgress() === 0);
    expect(await messageOf(reader)).toMatchObject({
      content: 'Half',
      error: 'The client went away before the answer was complete.',
    });
    for (const query of ['', '?cursor=2', '?cursor=4', '?cursor=99'])
      expect(lastOf((await resume(reader.sessionId, query)).text)).toEqual(failure(/went away/));
    await until(async () => millrace.services.answerRuns.size === 0);
    for (const query of ['', '?cursor=2', '?cursor=4', '?cursor=99'])
      expect(lastOf((await resume(reader.sessionId, query)).text)).toEqual(failure(/went away/));
    const bare = await millrace.call(
      'GET',
      `/api/chat/chat-session/${reader.sessionId}/resume-stream`,
    );
    expect(readChatBody(200, bare.text).errorLine?.['error']).toMatch(/went away/);
  });
});

describe('an answer that is followed from another process', () => {
  it('continues as long as it is followed', async () => {
    script = playsAndHangs(textEvent('Half'));
    const reader = await beginAnswer(millrace);
    const { db } = millrace.services;
    const waits: number[] = [];
    const forget = untilAbandoned(
      {
        db,
        async wait(ms) {
          waits.push(ms);
          if (waits.length === 1) {
            // A remote reader leaves a note in the database with its first read.
            const [first] = await Array.fromAsync(takeOne(await followElsewhere(reader)));
            expect(first).toHaveProperty('chat_session_id');
          } else {
            await sql`update chat_run set followed_until = now() - interval '1 hour'`.execute(db);
          }
        },
      },
      { messageId: reader.messageId, graceMs: 1_000, signal: new AbortController().signal },
    );
    await forget;
    await millrace.call('POST', `/chat/stop-chat-session/${reader.sessionId}`);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBe(1_000);
    expect(waits[1]).toBeGreaterThan(1_000);
  });

  it('ends with an error when its process dies, before and after the sweep', async () => {
    const { openGate } = halves();
    const reader = await beginAnswer(millrace);
    openGate();
    await reader.rest();
    const { db, answerRuns } = millrace.services;
    await until(async () => answerRuns.size === 0);
    // The state that a process leaves when it dies before the end.
    const { messageId } = reader;
    await sql`update chat_run set finished_at = null, alive_until = now() - interval '1 second'
      where chat_message_id = ${messageId}`.execute(db);
    await sql`update chat_message set finished_at = null where id = ${messageId}`.execute(db);
    await sql`delete from chat_run_part where chat_message_id = ${messageId}
      and lines::text like '%"stop"%'`.execute(db);
    for (const cursor of [0, 2, 50]) {
      const lines = await Array.fromAsync(await followElsewhere(reader, cursor));
      expect(lines.at(-1)).toMatchObject({ obj: failure(/service stopped/) });
    }
    await sweepRuns(millrace.services, new AbortController().signal);
    const lines = await Array.fromAsync(await followElsewhere(reader));
    expect(lines.at(-1)).toMatchObject({ obj: failure(/service stopped/) });
  });

  it('reports the complete answer when only its last lines were lost', async () => {
    const { openGate } = halves();
    const reader = await beginAnswer(millrace);
    openGate();
    await reader.rest();
    const { db } = millrace.services;
    await until(async () => millrace.services.answerRuns.size === 0);
    await sql`delete from chat_run_part where chat_message_id = ${reader.messageId}
      and lines::text like '%"stop"%'`.execute(db);
    const lines = await Array.fromAsync(await followElsewhere(reader));
    expect(lines.at(-1)).toMatchObject({ obj: failure(/answer is whole: GET/) });
  });

  it('ends with an error when its session is deleted', async () => {
    script = playsAndHangs(textEvent('Half'));
    const reader = await beginAnswer(millrace);
    const seen = Array.fromAsync(await followElsewhere(reader));
    await millrace.call('DELETE', `/chat/session/${reader.sessionId}`);
    await reader.rest();
    expect((await seen).at(-1)).toMatchObject({
      obj: { type: expect.stringMatching(/stop|error/) as unknown },
    });
  });
});

async function* takeOne(lines: AsyncIterable<StreamLine>): AsyncGenerator<StreamLine> {
  for await (const line of lines) {
    yield line;
    return;
  }
}
