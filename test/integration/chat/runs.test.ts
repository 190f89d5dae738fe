// @module-tag database
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAnswerRuns } from '#src/chat/runs/answer-runs.ts';
import { followRun } from '#src/chat/runs/follow-run.ts';
import { sweepRuns } from '#src/chat/runs/sweep-runs.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { type AnswerReader, beginAnswer } from '#test/support/begin-answer.ts';
import { assemble, orderOf, readChatBody } from '#test/support/chat-streams.ts';
import {
  answersText,
  END_EVENTS,
  type LlmScript,
  playsAndHangs,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let llm: ScriptedLlm;
let script: LlmScript;
let millrace: TestMillrace;
const readers = new Set<AnswerReader>();

beforeAll(async () => {
  llm = await startLlm(() => script);
  millrace = await startTestMillrace({
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
    CHAT_RESUME_SECONDS: '0',
  });
});
afterEach(() => {
  for (const reader of readers) reader.leave();
  readers.clear();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

/** Begins an answer and registers it for cleanup after the test. */
async function begin(): Promise<AnswerReader> {
  const reader = await beginAnswer(millrace);
  readers.add(reader);
  return reader;
}

const messageRow = async (id: number) =>
  millrace.services.db
    .selectFrom('chat_message')
    .select(['content', 'error', 'finished_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const isFinished = async (id: number): Promise<boolean> =>
  (await messageRow(id)).finished_at !== null;
const stop = (sessionId: string, key = millrace.adminKey) =>
  millrace.call('POST', `/chat/stop-chat-session/${sessionId}`, undefined, { key });
const resume = (sessionId: string, query = '', headers: Record<string, string> = {}, prefix = '') =>
  millrace.call(
    'GET',
    `${prefix}/chat/chat-session/${sessionId}/resume-stream${query}`,
    undefined,
    { headers },
  );

describe('stopping an answer', () => {
  it('ends its stream with the reason, keeps the partial text, and ends the model’s call', async () => {
    script = playsAndHangs(textEvent('Half an answer'));
    const reader = await begin();
    expect((await stop(reader.sessionId)).body).toEqual({ message: 'Chat session stopped' });
    const { packets } = readChatBody(200, await reader.rest());
    expect(packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: 'user_cancelled' });
    const row = await messageRow(reader.messageId);
    expect(row.content).toMatch(/^Half an answer\n\n_.*stopped by the user/);
    expect(row.error).toBeNull();
    await until(async () => llm.inProgress() === 0);
  });

  it('does nothing when no answer is in progress, and is refused for other users’ sessions', async () => {
    script = answersText('Done.');
    const reader = await begin();
    const { sessionId } = reader;
    await reader.rest();
    expect((await stop(sessionId)).status).toBe(200);
    const { key } = await millrace.createWorkspace();
    expect((await stop(sessionId, key)).status).toBe(404);
    expect((await stop('00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });

  it('reaches the process through the database', async () => {
    script = playsAndHangs(textEvent('Half'));
    const reader = await begin();
    await sql`update chat_run set stop_requested_at = now() where chat_message_id = ${reader.messageId}`.execute(
      millrace.services.db,
    );
    expect(await reader.rest()).toContain('user_cancelled');
  });

  it('happens when its session is deleted meanwhile', async () => {
    script = playsAndHangs(textEvent('Half'));
    const reader = await begin();
    const { status } = await millrace.call('DELETE', `/chat/session/${reader.sessionId}`);
    expect(status).toBe(200);
    expect(await reader.rest()).toContain('user_cancelled');
    await until(async () => llm.inProgress() === 0);
  });
});

describe('a client that disconnects', () => {
  it('ends the model’s call; the generated text is saved', async () => {
    script = playsAndHangs(textEvent('Half an answer'));
    const reader = await begin();
    reader.leave();
    await until(() => isFinished(reader.messageId));
    expect(await messageRow(reader.messageId)).toMatchObject({
      content: 'Half an answer',
      error: expect.stringMatching(/went away/) as unknown,
    });
    await until(async () => llm.inProgress() === 0);
  });

  it('leaves nothing running, a hundred times over', async () => {
    script = playsAndHangs(textEvent('Half'));
    const hundred = await Promise.all(Array.from({ length: 100 }, () => begin()));
    expect(llm.inProgress()).toBe(100);
    for (const reader of hundred) reader.leave();
    await until(async () => llm.inProgress() === 0);
    await until(async () => {
      const { rows } = await sql`select 1 from chat_run where finished_at is null`.execute(
        millrace.services.db,
      );
      return rows.length === 0;
    });
    await until(async () => millrace.services.answerRuns.size === 0);
  });
});

describe('following an answer', () => {
  it('gives the lines from the cursor on, live, to any number of readers', async () => {
    const gate = Promise.withResolvers<void>();
    script = async (response) => {
      await playsAndHangs(textEvent('One '), textEvent('two '))(response);
      await gate.promise;
      response.end(textEvent('three.') + END_EVENTS);
    };
    const reader = await begin();
    const followers = [resume(reader.sessionId), resume(reader.sessionId, '?cursor=3')];
    const byEvent = resume(reader.sessionId, '?cursor=0', { 'last-event-id': '1' });
    gate.resolve();
    const whole = readChatBody(200, await reader.rest());
    const [all, later, after] = await Promise.all([...followers, byEvent]);
    expect(all?.text).toBe(whole.text);
    expect(readChatBody(200, later?.text ?? '').ids[0]).toBe(3);
    expect(readChatBody(200, after?.text ?? '').ids[0]).toBe(2);
    expect(readChatBody(200, after?.text ?? '').lines).toEqual(whole.lines.slice(2));
  });

  it('keeps an answer going when its first reader leaves', async () => {
    const gate = Promise.withResolvers<void>();
    script = async (response) => {
      await playsAndHangs(textEvent('Half '))(response);
      await gate.promise;
      response.end(textEvent('and whole.') + END_EVENTS);
    };
    const reader = await begin();
    const controller = new AbortController();
    const followed = await fetch(
      `${millrace.url}/api/chat/chat-session/${reader.sessionId}/resume-stream`,
      { headers: { authorization: `Bearer ${millrace.adminKey}` }, signal: controller.signal },
    );
    reader.leave();
    gate.resolve();
    const stream = readChatBody(200, await followed.text());
    expect(assemble(stream).answer).toBe('Half and whole.');
    expect(orderOf(stream).at(-1)).toBe('T0.0 stop');
    expect(await messageRow(reader.messageId)).toMatchObject({ error: null });
  });

  it('works for a while after its end, and from another process', async () => {
    script = answersText('One ', 'two.');
    const reader = await begin();
    const whole = readChatBody(200, await reader.rest());
    await until(async () => millrace.services.answerRuns.size === 0);
    expect((await resume(reader.sessionId)).text).toBe(whole.text);
    const beyond = readChatBody(200, (await resume(reader.sessionId, '?cursor=1000')).text);
    expect(beyond.lines).toEqual(whole.lines.slice(-1));
    expect(orderOf(beyond)).toEqual(['T0.0 stop']);
    expect((await resume(reader.sessionId, '', {}, '/api')).status).toBe(200);
  });

  it('from another process continues while the answer is being written', async () => {
    const gate = Promise.withResolvers<void>();
    script = async (response) => {
      await playsAndHangs(textEvent('One '))(response);
      await gate.promise;
      response.end(textEvent('two.') + END_EVENTS);
    };
    const reader = await begin();
    const { db, log, wait } = millrace.services;
    const [row] = await db
      .selectFrom('workspace')
      .select('id')
      .where('is_bootstrap', '=', true)
      .execute();
    const workspaceId = row?.id;
    if (!workspaceId) throw new Error('There is no bootstrap workspace.');
    const userId = await ownerOf(db, workspaceId);
    const elsewhere = { db, wait, answerRuns: createAnswerRuns({ db, log }) };
    const lines = await followRun(
      elsewhere,
      { workspaceId, userId: userId as never },
      {
        sessionId: reader.sessionId as ChatSessionId,
        cursor: 0,
        signal: new AbortController().signal,
      },
    );
    const seen = Array.fromAsync(lines);
    gate.resolve();
    const whole = readChatBody(200, await reader.rest());
    expect(await seen).toEqual(whole.lines);
  });

  it('is refused when there is nothing to follow', async () => {
    script = answersText('Done.');
    const reader = await begin();
    const { sessionId } = reader;
    await reader.rest();
    const { key } = await millrace.createWorkspace();
    const path = `/chat/chat-session/${sessionId}/resume-stream`;
    expect((await millrace.call('GET', path, undefined, { key })).status).toBe(404);
    expect((await resume(sessionId, '?cursor=-1')).status).toBe(400);
    const empty = await millrace.call('POST', '/chat/session', { title: 'Empty' });
    expect((await resume(empty.body.session_id)).status).toBe(404);
  });
});

describe('an answer whose process died', () => {
  it('is ended with what its readers have seen', async () => {
    script = playsAndHangs(textEvent('Half an answer'));
    const reader = await begin();
    const { db } = millrace.services;
    await until(async () => {
      const { rows } = await sql`select 1 from chat_run_part
        where chat_message_id = ${reader.messageId} and lines::text like '%Half an answer%'`.execute(
        db,
      );
      return rows.length > 0;
    });
    await sql`update chat_run set alive_until = now() - interval '1 second'
      where chat_message_id = ${reader.messageId}`.execute(db);
    const { ended } = await sweepRuns(millrace.services, new AbortController().signal);
    expect(ended).toBeGreaterThanOrEqual(1);
    expect(await messageRow(reader.messageId)).toMatchObject({
      content: 'Half an answer',
      error: expect.stringMatching(/service stopped/) as unknown,
    });
  });

  it('is left alone when it was only slow and has completed', async () => {
    script = answersText('A whole answer.');
    const reader = await begin();
    await reader.rest();
    const { db } = millrace.services;
    // As seen by a sweep that looked just before the end.
    await sql`update chat_run set finished_at = null, alive_until = now() - interval '1 second'
      where chat_message_id = ${reader.messageId}`.execute(db);
    await sweepRuns(millrace.services, new AbortController().signal);
    expect(await messageRow(reader.messageId)).toMatchObject({
      content: 'A whole answer.',
      error: null,
    });
    await sql`delete from chat_run where chat_message_id = ${reader.messageId}`.execute(db);
  });

  it('loses its lines a while after its end', async () => {
    const { db } = millrace.services;
    await until(async () => millrace.services.answerRuns.size === 0);
    await sql`update chat_run set finished_at = now() - interval '11 minutes'`.execute(db);
    await sweepRuns(millrace.services, new AbortController().signal);
    const { rows } = await sql`select 1 from chat_run`.execute(db);
    expect(rows).toEqual([]);
  });
});
