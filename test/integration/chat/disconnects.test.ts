// @module-tag database
import { sql } from 'kysely';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readChatBody } from '#test/support/chat-streams.ts';
import {
  ANSWER_STAGES,
  type AnswerStage,
  type DisconnectStage,
  startDisconnectStage,
} from '#test/support/disconnect-stage.ts';
import { answersText, END_EVENTS, startEvents, textEvent } from '#test/support/scripted-llm.ts';
import { until } from '#test/support/until.ts';

let stage: DisconnectStage;
beforeAll(async () => {
  stage = await startDisconnectStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.llm.calls.length = 0;
});

interface Reader {
  sessionId: string;
  messageId: number;
  leave(): void;
  rest(): Promise<string>;
}

const post = (body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${stage.millrace.url}/chat/send-chat-message`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage.millrace.adminKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ message: 'How do I reset the VPN?', ...body }),
    ...(signal && { signal }),
  });

/** Begins an answer and reads until the stream shows the stage's sign. */
async function readUntil({ script, sign }: AnswerStage): Promise<Reader> {
  stage.play(script);
  const leave = new AbortController();
  const response = await post({ stream: true }, leave.signal);
  const parts = response.body?.getReader();
  if (!parts) throw new Error('The answer has no body.');
  const decoder = new TextDecoder();
  let text = '';
  const more = async (): Promise<boolean> => {
    const { done, value } = await parts.read();
    text += decoder.decode(value, { stream: true });
    return !done;
  };
  while (!text.includes(sign ?? 'reserved_assistant_message_id') && (await more()));
  if (sign === null) await until(async () => stage.llm.inProgress() === 1);
  const { lines } = readChatBody(200, text.slice(0, text.lastIndexOf('\n\n') + 2));
  const session = lines.find((line) => 'chat_session_id' in line);
  const ids = lines.find((line) => 'reserved_assistant_message_id' in line);
  return {
    sessionId: session?.chat_session_id ?? '',
    messageId: ids?.reserved_assistant_message_id ?? 0,
    leave: () => leave.abort(),
    async rest() {
      while (await more());
      return text;
    },
  };
}

/** Checks that the session takes the next message and answers it. */
async function expectUsable(sessionId: string): Promise<void> {
  stage.play(() => answersText('All is well.'));
  const answer = await post({ stream: false, chat_session_id: sessionId });
  expect(await answer.json()).toMatchObject({ answer: 'All is well.', error_msg: null });
  const { body } = await stage.millrace.call('GET', `/chat/get-chat-session/${sessionId}`);
  expect(body.messages).toHaveLength(5);
}

describe('a client that disconnects', () => {
  it.each(ANSWER_STAGES)(
    '$name leaves nothing running, and the partial answer is saved',
    async (at) => {
      const reader = await readUntil(at);
      reader.leave();
      await stage.quiet();
      const message = await stage.message(reader.messageId);
      expect(message).toMatchObject({ content: at.content, isFinished: true });
      expect(message.error).toMatch(/went away/);
      await expectUsable(reader.sessionId);
    },
  );

  it('before its answer starts leaves nothing running', async () => {
    stage.play(() => answersText('Late.'));
    // Disconnects at various moments between the connection and the first line.
    for (let delayMs = 0; delayMs < 40; delayMs += 2) {
      const leave = new AbortController();
      const asked = post({ stream: true }, leave.signal).then(
        (response) => response.text().catch(() => 'left'),
        () => 'left',
      );
      await pause(delayMs);
      leave.abort();
      await asked;
    }
    await stage.quiet();
    const { rows } = await sql`select 1 from chat_message where role = 'assistant'
      and finished_at is null`.execute(stage.millrace.services.db);
    expect(rows).toEqual([]);
  });

  it('while waiting for a single JSON answer leaves nothing running', async () => {
    stage.play(ANSWER_STAGES[2]?.script ?? (() => answersText('')));
    const leave = new AbortController();
    const asked = post({ stream: false }, leave.signal).catch(() => 'left');
    await until(async () => stage.llm.inProgress() === 1);
    leave.abort();
    expect(await asked).toBe('left');
    await stage.quiet();
  });

  it('at the last moment has its answer saved whole', async () => {
    for (let round = 0; round < 10; round += 1) {
      const gate = Promise.withResolvers<void>();
      const reader = await readUntil({
        name: 'before the end',
        script: () => async (response) => {
          startEvents(response);
          response.write(textEvent('All of it.'));
          await gate.promise;
          response.end(END_EVENTS);
        },
        sign: 'All of it.',
        content: 'All of it.',
      });
      gate.resolve();
      reader.leave();
      await stage.quiet();
      expect(await stage.message(reader.messageId)).toMatchObject({
        content: 'All of it.',
        isFinished: true,
      });
    }
  });
});

describe('an answer that is stopped', () => {
  it.each(ANSWER_STAGES)('$name ends and keeps its text so far', async (at) => {
    const reader = await readUntil(at);
    const { status } = await stage.millrace.call(
      'POST',
      `/chat/stop-chat-session/${reader.sessionId}`,
    );
    expect(status).toBe(200);
    const { packets } = readChatBody(200, await reader.rest());
    expect(packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: 'user_cancelled' });
    await stage.quiet();
    const message = await stage.message(reader.messageId);
    expect(message).toMatchObject({ error: null, isFinished: true });
    expect(message.content.startsWith(at.content)).toBe(true);
    expect(message.content).toContain('stopped by the user');
    await expectUsable(reader.sessionId);
  });

  it('repeatedly while it ends stops once or completes', async () => {
    for (let round = 0; round < 10; round += 1) {
      stage.play(() => answersText('One ', 'two ', 'three.'));
      const sessionId = (await stage.millrace.call('POST', '/chat/create-chat-session', {})).body
        .chat_session_id;
      const asked = post({ stream: true, chat_session_id: sessionId });
      const stops = Array.from({ length: 5 }, () =>
        stage.millrace.call('POST', `/chat/stop-chat-session/${sessionId}`),
      );
      const { packets } = readChatBody(200, await (await asked).text());
      expect((await Promise.all(stops)).map(({ status }) => status)).toEqual([
        200, 200, 200, 200, 200,
      ]);
      const ends = packets.filter(({ obj }) => obj.type === 'stop' || obj.type === 'error');
      expect(ends.map(({ obj }) => obj.type)).toEqual(['stop']);
    }
    await stage.quiet();
  });
});
