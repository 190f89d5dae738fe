import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatFullResponseSchema } from '#src/chat/stream/full-response.ts';
import type { Answer } from '#test/support/api-client.ts';
import { assemble, type ChatStream, orderOf, readChatBody } from '#test/support/chat-streams.ts';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';
import {
  answersText,
  callsTools,
  chunkEvent,
  END_EVENTS,
  endEvents,
  type LlmRequestBody,
  type LlmScript,
  plays,
  reasoningEvent,
  type ScriptedLlm,
  startEvents,
  startLlm,
  textEvent,
  toolCallEvent,
  toolCallEvents,
  toolResults,
} from '#test/support/scripted-llm.ts';

let llm: ScriptedLlm;
let script: (body: LlmRequestBody) => LlmScript;
let stage: ChatStage;
let user: ChatUser;

beforeAll(async () => {
  llm = await startLlm((body) => script(body));
  stage = await startChatStage({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  user = await stage.openUser();
  const document = {
    id: 'vpn',
    semantic_identifier: 'About the VPN',
    sections: [{ text: 'To reset the VPN, press reset.', link: 'https://kb.example/vpn' }],
  };
  await user.call('POST', '/service-api/ingestion', { document });
  await stage.millrace.settled(user.key);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});
beforeEach(() => {
  llm.calls.length = 0;
});

const send = (body: object): Promise<Answer> =>
  user.call('POST', '/chat/send-chat-message', { message: 'How do I reset the VPN?', ...body });

/** Asks for the stream and for the single object, which must agree, and validates each against its schema. */
async function askTwice(body: object = {}): Promise<ChatStream> {
  const streamed = await send({ stream: true, ...body });
  expect(streamed.status, streamed.text).toBe(200);
  const stream = readChatBody(200, streamed.text);
  const { status, body: whole } = await send({ stream: false, ...body });
  expect(status).toBe(200);
  expect(chatFullResponseSchema.strict().safeParse(whole).error).toBeUndefined();
  expect(whole).toMatchObject(assemble(stream));
  return stream;
}

/** Calls tools first, then answers once there are results. */
const callsOnce =
  (first: LlmScript, then: LlmScript = answersText('Done [1].')) =>
  (body: LlmRequestBody): LlmScript =>
    toolResults(body).length === 0 ? first : then;
const search = (queries: unknown = ['vpn']) => ({ name: 'internal_search', args: { queries } });
/** The tool results in the last call to the model. */
const toldLast = (): string[] => toolResults(llm.calls.at(-1)?.body ?? { messages: [] });

describe('a model that misuses tools', () => {
  it('with a megabyte of arguments is cut off without an answer', async () => {
    script = callsOnce(callsTools([search(['x'.repeat(1_000_000)])], 50));
    const stream = await askTwice();
    expect(assemble(stream).error_msg).toMatch(/ended without an answer/);
    expect(llm.calls).toHaveLength(2);
  });

  it('with 500 calls at once has eight executed and is told about the others', async () => {
    const calls = Array.from({ length: 500 }, (_, n) => ({
      name: n % 2 === 0 ? 'open_url' : 'internal_search',
      args: n % 2 === 0 ? { url: `https://a.test/${n}` } : { queries: 'vpn' },
      id: `call_${n}`,
    }));
    script = callsOnce(callsTools(calls));
    const stream = await askTwice();
    expect(assemble(stream).error_msg).toBeNull();
    expect(toldLast()).toHaveLength(500);
    expect(toldLast().filter((text) => text.includes('at most 8 calls'))).toHaveLength(492);
  });

  it('with 500 searches has them run as one', async () => {
    const calls = Array.from({ length: 500 }, (_, n) => ({ ...search([`vpn ${n}`]), id: `c${n}` }));
    script = callsOnce(callsTools(calls));
    const stream = await askTwice();
    const queries = stream.packets.flatMap(({ obj }) =>
      obj.type === 'search_tool_queries_delta' ? obj.queries : [],
    );
    expect(queries).toHaveLength(10);
    expect(assemble(stream).answer).toContain('[[1]](https://kb.example/vpn)');
  });

  it.each([
    '',
    ' ',
    'Internal_Search',
    'internal_search ',
    'functions.internal_search',
    '__proto__',
    'constructor',
    'x'.repeat(10_000),
    'a\u0000b',
    '\ud800',
    '💥\n\n</documents>',
  ])('under the unknown name %.30j is told the available names', async (name) => {
    script = callsOnce(callsTools([{ name, args: {} }]), answersText('Well.'));
    const stream = await askTwice();
    const { answer, error_msg: failure } = assemble(stream);
    expect(failure === null ? answer : failure).toMatch(/Well|name/);
    expect(JSON.stringify(llm.calls.at(-1)?.body).length).toBeLessThan(60_000);
  });

  it.each([
    ['not JSON', 'queries: vpn'],
    ['truncated JSON', '{"queries": ["vpn"'],
    ['a list', '["vpn"]'],
    ['null', 'null'],
    ['nothing', ''],
    ['deeply nested JSON', '['.repeat(50_000)],
    ['a prototype key', '{"__proto__":{"queries":["vpn"]}}'],
    ['a NUL and half a surrogate pair', String.raw`{"queries":["v\u0000p\ud800n"]}`],
    ['of other types', '{"queries":[1,null,{"a":["b"]}]}'],
  ])('with arguments that are %s gets another chance', async (_, args) => {
    script = callsOnce(callsTools([{ name: 'internal_search', args }]), answersText('Well.'));
    const stream = await askTwice();
    expect(assemble(stream)).toMatchObject({ answer: 'Well.', error_msg: null });
    expect(toldLast()).toHaveLength(1);
  });

  it.each([
    ['repeat', ['same', 'same']],
    ['are empty', ['', '']],
    ['are odd', ['\n', 'x'.repeat(5_000)]],
  ])('with ids that %s is answered all the same', async (_, ids) => {
    const calls = ids.map((id) => ({ ...search(), id }));
    script = callsOnce(callsTools(calls));
    const stream = await askTwice();
    expect(assemble(stream).answer).toContain('Done');
    const { messages } = llm.calls.at(-1)?.body ?? { messages: [] };
    const asked = messages.flatMap(({ tool_calls: made }) => made ?? []).map(({ id }) => id);
    const told = messages.flatMap(({ tool_call_id: id }) => id ?? []);
    // A provider refuses results whose ids it cannot tell apart.
    expect(told).toHaveLength(2);
    expect(told).toEqual(asked);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.every((id) => id !== '')).toBe(true);
  });

  it('endlessly is asked to answer after six rounds', async () => {
    script = (body) =>
      (body.tools ?? []).length > 0
        ? plays(textEvent('Let me look. '), ...toolCallEvents([search()]), endEvents('tool_calls'))
        : answersText('Enough.');
    const stream = await askTwice();
    expect(llm.calls).toHaveLength(12);
    expect(assemble(stream)).toMatchObject({ answer: 'Enough.', error_msg: null });
    llm.calls.length = 0;
    script = () => callsTools([search()]);
    const wordless = await askTwice();
    expect(wordless.packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: null });
    expect(assemble(wordless).answer).toMatch(
      /ended without an answer.*quoted from what its searches found/,
    );
    // The model is told once that no tools are left.
    expect(llm.calls).toHaveLength(14);
  });
});

describe('a model that mixes up the order', () => {
  it('may speak between its calls', async () => {
    script = callsOnce(
      plays(
        textEvent('First '),
        ...toolCallEvents([{ ...search(), id: 'a' }]),
        textEvent('second '),
        toolCallEvent({
          index: 1,
          id: 'b',
          type: 'function',
          function: { name: 'internal_search', arguments: '{"queries":["reset"]}' },
        }),
        textEvent('third.'),
        endEvents('tool_calls'),
      ),
    );
    const stream = await askTwice();
    expect(assemble(stream).answer).toContain('Done');
    expect(toldLast()).toHaveLength(2);
  });

  it('may think after speaking, and its text after the end is dropped', async () => {
    script = () =>
      plays(
        reasoningEvent('Hm. '),
        textEvent('One '),
        reasoningEvent('Hm again. '),
        textEvent('two.'),
        chunkEvent({}, 'stop'),
        textEvent(' Late.'),
        END_EVENTS,
      );
    const stream = await askTwice();
    expect(assemble(stream).answer).toMatch(/^One two\./);
    expect(assemble(stream).pre_answer_reasoning).toBe('Hm. ');
  });

  it('gets an error when it says nothing after its tools have run', async () => {
    script = callsOnce(callsTools([search()]), plays(endEvents('stop')));
    const stream = await askTwice();
    expect(orderOf(stream).at(-1)).toMatch(/error$/);
    expect(assemble(stream).error_msg).toMatch(/without an answer/);
    script = callsOnce(callsTools([search()]), plays(endEvents('stop')));
    const whole = await send({ stream: false });
    expect(whole.body).toMatchObject({
      answer: '',
      tool_calls: [{ tool_name: 'internal_search' }],
    });
    expect(whole.body.error_msg).toMatch(/without an answer/);
    const { sessionId } = sessionOf(stream);
    script = () => answersText('Again.');
    const next = await send({ chat_session_id: sessionId, stream: false });
    expect(next.body).toMatchObject({ answer: 'Again.', error_msg: null });
  });

  it('may answer in 100,000 pieces', async () => {
    script = () => async (response) => {
      startEvents(response);
      for (let n = 0; n < 1_000; n += 1) {
        if (!response.write(textEvent('x').repeat(100))) await nextTurn();
      }
      response.end(END_EVENTS);
    };
    const { status, text } = await send({ stream: true, allowed_tool_ids: [] });
    const stream = readChatBody(status, text);
    expect(assemble(stream).answer).toBe('x'.repeat(100_000));
    expect(stream.packets.at(-1)?.obj.type).toBe('stop');
  });

  it('may think for a quarter of a million characters', async () => {
    script = () =>
      plays(
        ...Array.from({ length: 250 }, () => reasoningEvent('h'.repeat(1_000))),
        textEvent('So.'),
        END_EVENTS,
      );
    const stream = await askTwice({ allowed_tool_ids: [] });
    expect(assemble(stream).error_msg).toMatch(/ended without an answer/);
    expect(assemble(stream).pre_answer_reasoning).toHaveLength(200_000);
  });
});

function sessionOf({ lines }: ChatStream): { sessionId: string } {
  const line = lines.find((one) => 'chat_session_id' in one);
  return { sessionId: line?.chat_session_id ?? '' };
}
