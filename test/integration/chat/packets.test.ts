import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatFullResponseSchema } from '#src/chat/stream/full-response.ts';
import { assemble, type ChatStream, orderOf, readChatBody } from '#test/support/chat-streams.ts';
import {
  answerError,
  answersText,
  callsTools,
  chunkEvent,
  END_EVENTS,
  endEvents,
  type LlmScript,
  plays,
  playsAndBreaks,
  playsBytes,
  playsEndlessly,
  reasoningEvent,
  refusalEvent,
  type ScriptedLlm,
  startLlm,
  textEvent,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let llm: ScriptedLlm;
let script: (toolAnswers: number) => LlmScript;
let millrace: TestMillrace;

beforeAll(async () => {
  llm = await startLlm((body) => script(toolResults(body).length));
  millrace = await startTestMillrace({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  for (const [id, text] of [
    ['vpn', 'To reset the VPN, open the portal and press reset.'],
    ['printer', 'The printer on floor two takes A3 paper.'],
  ]) {
    await millrace.call('POST', '/service-api/ingestion', {
      document: {
        id,
        semantic_identifier: `About the ${id}`,
        sections: [{ text, link: `https://kb.example/${id}` }],
        source: 'web',
        metadata: {},
      },
    });
  }
  await millrace.settled();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

const CHAT = '/chat/send-chat-message';
const NO_TOOLS = { allowed_tool_ids: [] as number[] };

async function stream(body: object, prefix = ''): Promise<ChatStream> {
  const { status, text } = await millrace.call('POST', prefix + CHAT, {
    message: 'How do I reset the VPN?',
    stream: true,
    ...body,
  });
  return readChatBody(status, text);
}

/** Asks the same question in both framings and as one object, which must agree. */
async function askThrice(
  body: object,
): Promise<{ events: ChatStream; bare: ChatStream; whole: unknown }> {
  const events = await stream(body);
  const bare = await stream(body, '/api');
  const { status, body: whole } = await millrace.call('POST', CHAT, {
    message: 'How do I reset the VPN?',
    stream: false,
    ...body,
  });
  expect([events.status, bare.status, status]).toEqual([200, 200, 200]);
  expect(events.ids).toEqual(events.lines.map((_, index) => index));
  expect(chatFullResponseSchema.strict().parse(whole)).toEqual(whole);
  expect(whole).toMatchObject(assemble(events));
  const isFailed = bare.errorLine !== null;
  // A failed bare stream ends with a line in place of the packet.
  expect(orderOf(bare)).toEqual(isFailed ? orderOf(events).slice(0, -1) : orderOf(events));
  expect(Object.keys(bare.lines[0] ?? {})).toEqual(['chat_session_id']);
  expect(Object.keys(bare.lines[1] ?? {})).toEqual([
    'user_message_id',
    'reserved_assistant_message_id',
  ]);
  return { events, bare, whole };
}

const SEARCH = ['T0.0 search_tool_start', 'T0.0 search_tool_queries_delta'];
const FOUND = [...SEARCH, 'T0.0 search_tool_documents_delta', 'T0.0 section_end'];
const textOf = (answer: ChatStream): string => assemble(answer).answer;

describe('the packets of an answer', () => {
  it('without tools', async () => {
    script = () => answersText('Hello', ' there');
    const { events } = await askThrice(NO_TOOLS);
    expect(orderOf(events)).toEqual(['T0.0 message_start', 'T0.0 message_delta', 'T0.0 stop']);
    expect(events.packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: null });
  });

  it('with a search of the model and citations', async () => {
    script = (answers) =>
      answers === 0
        ? callsTools([{ name: 'internal_search', args: { queries: ['reset VPN'] } }], 3)
        : answersText('Press reset [1', ']. Not [99].');
    const { events, whole } = await askThrice({});
    expect(orderOf(events)).toEqual([
      ...FOUND,
      'T1.0 message_start',
      'T1.0 message_delta',
      'T1.0 citation_info',
      'T1.0 message_delta',
      'T1.0 stop',
    ]);
    expect(textOf(events)).toBe('Press reset [[1]](https://kb.example/vpn). Not.');
    expect(whole).toMatchObject({
      tool_calls: [{ tool_name: 'internal_search', tool_arguments: { queries: ['reset VPN'] } }],
      citation_info: [{ type: 'citation_info', citation_number: 1, document_id: 'vpn' }],
    });
  });

  it('with parallel tools, and two searches merged into one', async () => {
    script = (answers) =>
      answers === 0
        ? callsTools(
            [
              { name: 'internal_search', args: { queries: ['VPN'] } },
              { name: 'open_url', args: { urls: ['http://127.0.0.1:9/'] } },
              { name: 'internal_search', args: { queries: ['printer'] } },
            ],
            4,
          )
        : answersText('Both [1][2].');
    const { events } = await askThrice({});
    const order = orderOf(events);
    expect(order.slice(0, 3)).toEqual([
      'T0.0 top_level_branching',
      'T0.0 search_tool_start',
      'T0.1 open_url_start',
    ]);
    expect(order.filter((name) => name.endsWith('section_end')).toSorted()).toEqual([
      'T0.0 section_end',
      'T0.1 section_end',
    ]);
    expect(order.indexOf('T1.0 message_start')).toBeGreaterThan(
      order.lastIndexOf('T0.1 section_end'),
    );
    expect(textOf(events)).toMatch(/^Both \[\[1\]\]\(.*\) ?\[\[2\]\]\(.*\)\.$/);
  });

  it.each([
    ['malformed arguments', '{"queries": ['],
    ['arguments of the wrong type', '"VPN"'],
  ])('after a call with %s', async (_what, args) => {
    script = (answers) =>
      answers === 0 ? callsTools([{ name: 'internal_search', args }]) : answersText('Sorry.');
    const { events } = await askThrice({});
    expect(orderOf(events)).toEqual([
      'T0.0 search_tool_start',
      'T0.0 section_end',
      'T1.0 message_start',
      'T1.0 message_delta',
      'T1.0 stop',
    ]);
  });

  it('with reasoning', async () => {
    script = () => plays(reasoningEvent('Hm'), reasoningEvent('m.'), textEvent('Yes.'), END_EVENTS);
    const { events, whole } = await askThrice(NO_TOOLS);
    expect(orderOf(events)).toEqual([
      'T0.0 reasoning_start',
      'T0.0 reasoning_delta',
      'T0.0 reasoning_done',
      'T1.0 message_start',
      'T1.0 message_delta',
      'T1.0 stop',
    ]);
    expect(whole).toMatchObject({ answer: 'Yes.', pre_answer_reasoning: 'Hmm.' });
  });

  it('split into single bytes, with characters cut in the middle', async () => {
    const said = 'Größe „3“ — 漢字 🚀 [1]';
    script = () => playsBytes(1, textEvent(said), END_EVENTS);
    const { events } = await askThrice({});
    expect(orderOf(events).slice(0, 5)).toEqual([...FOUND, 'T1.0 message_start']);
    expect(textOf(events)).toBe('Größe „3“ — 漢字 🚀 [[1]](https://kb.example/vpn)');
  });

  it('of an endless stream, cut off at a limit', async () => {
    script = () => playsEndlessly(textEvent('x'.repeat(2_000)));
    const events = await stream(NO_TOOLS);
    expect(orderOf(events)).toEqual(['T0.0 message_start', 'T0.0 message_delta', 'T0.0 stop']);
    expect(textOf(events).length).toBeLessThan(1_000_000);
    await expect.poll(() => llm.inProgress()).toBe(0);
  });
});

describe('a failure', () => {
  const failing: [string, LlmScript, { code: string; retryable: boolean; says: RegExp }][] = [
    [
      'refusal',
      plays(refusalEvent('I will not.'), END_EVENTS),
      { code: 'MODEL_REFUSAL', retryable: false, says: /I will not/ },
    ],
    [
      'content filter',
      plays(chunkEvent({}, 'content_filter'), endEvents('content_filter')),
      { code: 'CONTENT_POLICY', retryable: false, says: /content filter/ },
    ],
    [
      'context too long',
      answerError(400, 'too many tokens', {}, { code: 'context_length_exceeded' }),
      { code: 'CONTEXT_TOO_LONG', retryable: false, says: /too many tokens/ },
    ],
    [
      'key that the provider rejects',
      answerError(401, 'bad key'),
      { code: 'AUTH_ERROR', retryable: false, says: /bad key/ },
    ],
    [
      'rate limit',
      answerError(429, 'slow down', { 'Retry-After': '60' }),
      { code: 'RATE_LIMIT', retryable: true, says: /slow down/ },
    ],
    [
      'fault of the provider',
      answerError(500, 'oops'),
      { code: 'API_ERROR', retryable: true, says: /oops/ },
    ],
    [
      'empty answer',
      plays(endEvents('stop')),
      { code: 'EMPTY_LLM_RESPONSE', retryable: false, says: /without an answer/ },
    ],
  ];

  it.each(failing)(
    'by %s ends the stream without a stop packet',
    async (_what, played, expected) => {
      script = () => played;
      const { events, bare, whole } = await askThrice(NO_TOOLS);
      expect(orderOf(events)).toEqual(['T0.0 error']);
      expect(events.packets[0]?.obj).toMatchObject({
        error_code: expected.code,
        is_retryable: expected.retryable,
        stack_trace: null,
        details: { model: 'scripted', provider: 'openai-compatible' },
      });
      expect(bare.errorLine).toMatchObject({ error_code: expected.code });
      expect(whole).toMatchObject({
        answer: '',
        error_msg: expect.stringMatching(expected.says) as unknown,
      });
    },
  );

  it('in the middle of an answer comes after its partial text, which is stored', async () => {
    script = () => playsAndBreaks(textEvent('Half an '));
    const { events, whole } = await askThrice(NO_TOOLS);
    expect(orderOf(events)).toEqual(['T0.0 message_start', 'T0.0 message_delta', 'T0.0 error']);
    expect(whole).toMatchObject({ answer: '', error_msg: expect.any(String) as unknown });
    const [first] = events.lines;
    const sessionId = first && 'chat_session_id' in first ? first.chat_session_id : '';
    const { body } = await millrace.call('GET', `/chat/get-chat-session/${sessionId}`);
    expect(body.messages.at(-1)).toMatchObject({ message: 'Half an', message_type: 'assistant' });
    expect(body.messages.at(-1).error).not.toBeNull();
  });
});

describe('a request that names something unknown', () => {
  it.each([
    [{ llm_override: { model_provider: 'nobody' } }, 400, /model_provider/],
    [{ llm_override: { model_version: 'gpt-9' } }, 400, /model_version/],
    [{ forced_tool_id: 77 }, 400, /forced_tool_id/],
    [{ forced_tool_id: 1, allowed_tool_ids: [] }, 400, /forced_tool_id/],
    [{ chat_session_id: '00000000-0000-4000-8000-000000000000' }, 404, /chat session/],
    [{ chat_session_info: { persona_id: 12_345 } }, 400, /persona_id/],
    [{ chat_session_info: { project_id: 12_345 } }, 404, /project/],
    [{ file_descriptors: ['nothing'] }, 400, /file_descriptors\[0\]/],
  ])('%j is refused before anything is streamed', async (body, status, says) => {
    const calls = llm.calls.length;
    for (const prefix of ['', '/api']) {
      const answer = await millrace.call('POST', prefix + CHAT, {
        message: 'x',
        stream: true,
        ...body,
      });
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ detail: expect.stringMatching(says) as unknown });
    }
    expect(llm.calls).toHaveLength(calls);
  });
});
