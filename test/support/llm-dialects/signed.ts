import { callingMessages, currentCalls, faultIn, firstCallId, unknownMember } from './checks.ts';
import {
  type Dialect,
  DONE,
  event,
  finishOf,
  halves,
  idMaker,
  json,
  type Refusal,
  USAGE,
} from './dialect.ts';

/** Google's documented placeholder signature for a call that the model did not make. */
const STAND_IN = 'skip_thought_signature_validator';

/** Gemini behind Google's own endpoint and behind that of Google Cloud, which uses another namespace. */
function gemini(
  namespace: 'google' | 'vertex',
  facts: Pick<Dialect, 'server' | 'sources'>,
): Dialect {
  return {
    ...facts,
    model: 'gemini-3.1-flash',
    // It reasons, but shows it only on request.
    showsReasoning: false,
    open() {
      const nextId = idMaker((count) => `jm4owj3${count}`);
      const issued = new Map<string, string>();
      const chunk = (delta: unknown, finish_reason?: string): string =>
        event({
          choices: [{ delta, ...(finish_reason && { finish_reason }), index: 0 }],
          created: 1,
          id: 'r1',
          model: 'gemini-3.1-flash',
          object: 'chat.completion.chunk',
          usage: USAGE,
        });
      const refusal = (message: string): Refusal => ({
        status: 400,
        body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
      });
      return {
        refuse(body) {
          for (const { index, message } of currentCalls(body)) {
            const extra: unknown = Reflect.get(message.tool_calls?.[0] ?? {}, 'extra_content');
            const signature = issued.get(firstCallId(message));
            const expected = { [namespace]: { thought_signature: signature } };
            const isSigned =
              signature === undefined
                ? json(extra ?? null).includes(STAND_IN)
                : json(extra ?? null) === json(expected);
            if (!isSigned)
              return refusal(
                `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:x\`, position ${index}.`,
              );
          }
          const fault = faultIn(body) ?? unknownMember(body, ['extra_content'])?.name ?? null;
          return fault === null ? null : refusal(`Invalid JSON payload received. ${fault}`);
        },
        play: (said) => [
          ...halves(said.text).map((content) => chunk({ content, role: 'assistant' })),
          // Whole calls without an index; the first of a message is signed, and the finish reason is `stop`.
          ...(said.calls ?? []).map(({ name, args }, index) => {
            const id = nextId();
            const signature = `EjQKMgEMOdbH${id}==`;
            if (index === 0) issued.set(id, signature);
            const call = {
              ...(index === 0 && {
                extra_content: { [namespace]: { thought_signature: signature } },
              }),
              function: { arguments: json(args), name },
              id,
              type: 'function',
            };
            return chunk({ role: 'assistant', tool_calls: [call] });
          }),
          chunk({ role: 'assistant' }, said.isTruncated ? 'length' : 'stop'),
          DONE,
        ],
      };
    },
  };
}

const GEMINI = gemini('google', {
  server: 'Gemini',
  sources: [
    'github.com/noho/dayu-agent/issues/45 (captured events: no index, extra_content)',
    'github.com/openai/openai-python/issues/2758 (the refusal, a list)',
    'github.com/microclaw/microclaw/pull/230 (ends calls with `stop`)',
    'ai.google.dev/gemini-api/docs/thought-signatures',
  ],
});

const VERTEX = gemini('vertex', {
  server: 'Gemini on Vertex AI',
  sources: ['github.com/earendil-works/pi/issues/6733, /pull/7745 (extra_content.vertex)'],
});

const OPENROUTER: Dialect = {
  server: 'OpenRouter',
  model: 'google/gemini-3-pro-preview',
  sources: [
    'github.com/charmbracelet/fantasy providertests/testdata/TestOpenRouterCommon/gemini/multi_tool_streaming.yaml',
    'github.com/charmbracelet/fantasy providertests/testdata/TestOpenRouterThinking/gpt-5/thinking-streaming.yaml (at 5ed5d22: a summary comes in pieces of one index, and goes back as one beside what is encrypted)',
    'openrouter.ai/docs reasoning tokens (reasoning_details go back unmodified)',
  ],
  showsReasoning: true,
  open() {
    const nextId = idMaker((count) => `tool_add_k${count}`);
    const issued = new Map<string, unknown>();
    const chunk = (delta: object, finish_reason: string | null = null, more = {}): string =>
      event({
        id: 'gen-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'google/gemini-3-pro-preview',
        provider: 'Google AI Studio',
        choices: [
          {
            index: 0,
            delta: { content: '', role: 'assistant', ...delta },
            finish_reason,
            native_finish_reason: finish_reason && 'STOP',
          },
        ],
        ...more,
      });
    return {
      refuse(body) {
        const isBack = callingMessages(body).every(({ message }) => {
          const sent = issued.get(firstCallId(message));
          return sent === undefined || json(message['reasoning_details']) === json(sent);
        });
        const fault = isBack
          ? (faultIn(body) ?? unknownMember(body, ['reasoning_details', 'reasoning'])?.name ?? null)
          : 'Function call is missing a thought_signature in functionCall parts.';
        if (fault === null) return null;
        const metadata = { raw: fault, provider_name: 'Google AI Studio' };
        return {
          status: 400,
          body: { error: { message: 'Provider returned error', code: 400, metadata } },
        };
      },
      play(said) {
        const detail = { type: 'reasoning.text', format: 'google-gemini-v1', index: 0 };
        const sealed = {
          type: 'reasoning.encrypted',
          data: 'EjQKMgEMOd==',
          format: 'google-gemini-v1',
          id: 'tool_add_k',
          index: 0,
        };
        const thoughts = said.reasoning ? [{ ...detail, text: said.reasoning }] : [];
        const calls = (said.calls ?? []).map((call) => ({ ...call, id: nextId() }));
        if (calls[0]) issued.set(calls[0].id, [...thoughts, sealed]);
        const end = finishOf(said);
        return [
          ': OPENROUTER PROCESSING\n\n',
          ...halves(said.reasoning).map((text) =>
            chunk({ reasoning: text, reasoning_details: [{ ...detail, text }] }),
          ),
          ...halves(said.text).map((content) => chunk({ content })),
          ...(calls.length > 0 ? [chunk({ reasoning: null, reasoning_details: [sealed] })] : []),
          ...calls.flatMap(({ id, name, args }, index) => [
            chunk({
              content: null,
              tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
            }),
            chunk({
              content: null,
              tool_calls: [{ index, function: { arguments: json(args) } }],
            }),
          ]),
          ': OPENROUTER PROCESSING\n\n',
          chunk({}, end),
          chunk({}, end, { usage: USAGE }),
          DONE,
        ];
      },
    };
  },
};

const LITELLM: Dialect = {
  server: 'Claude behind LiteLLM',
  model: 'claude-opus-4-7',
  sources: [
    'github.com/anomalyco/opencode/issues/2915, /issues/8246 (calls in the history and no tools)',
    'github.com/RooCodeInc/Roo-Code/issues/12162 (temperature is deprecated)',
    'docs.litellm.ai/docs/reasoning_content (reasoning_content and thinking_blocks with their signature)',
    'platform.claude.com/docs/build-with-claude/thinking-tool-workflows (they go back whole and unmodified)',
  ],
  showsReasoning: true,
  open() {
    const nextId = idMaker((count) => `toolu_01${count}`);
    const issued = new Map<string, unknown>();
    const chunk = (delta: unknown, finish_reason?: string): string =>
      event({
        id: 'chatcmpl-1',
        created: 1,
        model: 'claude-opus-4-7',
        object: 'chat.completion.chunk',
        choices: [{ ...(finish_reason && { finish_reason }), index: 0, delta }],
      });
    const refusal = (message: string): Refusal => ({
      status: 400,
      body: { error: { message, type: null, param: null, code: '400' } },
    });
    return {
      refuse(body) {
        if (body['temperature'] !== undefined)
          return refusal('litellm.BadRequestError: `temperature` is deprecated for this model.');
        const calling = callingMessages(body);
        if (calling.length > 0 && body.tools === undefined)
          return refusal(
            "litellm.UnsupportedParamsError: Anthropic doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True`.",
          );
        const isBack = calling.every(({ message }) => {
          const sent = issued.get(firstCallId(message));
          return sent === undefined || json(message['thinking_blocks']) === json(sent);
        });
        if (!isBack)
          return refusal('messages.1.content.0.type: Expected `thinking`, but found `tool_use`.');
        const fault =
          faultIn(body) ?? unknownMember(body, ['thinking_blocks', 'reasoning_content'])?.name;
        return fault === undefined ? null : refusal(fault);
      },
      play(said) {
        const block = (thinking: string, signature: string) => ({
          type: 'thinking',
          thinking,
          signature,
        });
        const calls = (said.calls ?? []).map((call) => ({ ...call, id: nextId() }));
        if (calls[0] && said.reasoning) issued.set(calls[0].id, [block(said.reasoning, 'EqQB')]);
        return [
          ...halves(said.reasoning).map((text) =>
            chunk({ reasoning_content: text, thinking_blocks: [block(text, '')] }),
          ),
          ...(said.reasoning
            ? [chunk({ reasoning_content: '', thinking_blocks: [block('', 'EqQB')] })]
            : []),
          ...halves(said.text).map((content) => chunk({ content })),
          ...calls.flatMap(({ id, name, args }, index) => [
            chunk({
              tool_calls: [{ id, type: 'function', function: { name, arguments: '' }, index }],
            }),
            chunk({ tool_calls: [{ function: { arguments: json(args) }, index }] }),
          ]),
          chunk({}, finishOf(said)),
          DONE,
        ];
      },
    };
  },
};

export const SIGNED_DIALECTS: readonly Dialect[] = [GEMINI, VERTEX, OPENROUTER, LITELLM];
