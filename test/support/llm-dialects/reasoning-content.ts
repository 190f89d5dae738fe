import type { LlmRequestBody } from '#test/support/scripted-llm.ts';
import { callingMessages, faultIn, unknownMember } from './checks.ts';
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

function refusal(message: string): Refusal {
  return {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
  };
}

function commonFault(body: LlmRequestBody, known: readonly string[]): Refusal | null {
  const fault = faultIn(body);
  if (fault !== null) return refusal(fault);
  const unknown = unknownMember(body, known);
  return unknown && refusal(`unknown field ${unknown.name} in messages[${unknown.index}]`);
}

const DEEPSEEK: Dialect = {
  server: 'DeepSeek',
  model: 'deepseek-v4-flash',
  sources: [
    'github.com/vercel/ai packages/deepseek/src/chat/__fixtures__/deepseek-tool-call.chunks.txt',
    'api-docs.deepseek.com/guides/thinking_mode (reasoning_content of turns with calls goes back, else 400)',
    'github.com/deepseek-ai/deepseek-harness/discussions/739 (an empty one, too)',
    'github.com/BerriAI/litellm/pull/37470 (tool_choice required)',
  ],
  showsReasoning: true,
  open() {
    const nextId = idMaker((count) => `call_0${count}_IhCAliIHtM9g`);
    const issued = new Map<string, string>();
    const chunk = (delta: unknown, finish_reason: string | null = null): string =>
      event({
        id: '6e77be01',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'deepseek-v4-flash',
        system_fingerprint: 'a26a',
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
        usage: finish_reason === null ? null : USAGE,
      });
    return {
      refuse(body) {
        if (body['tool_choice'] === 'required')
          return refusal('Thinking mode does not support this tool_choice');
        const isBack = callingMessages(body).every(({ message }) => {
          const sent = issued.get(message.tool_calls?.[0]?.id ?? '');
          const back = message['reasoning_content'];
          return sent === undefined ? typeof back === 'string' : back === sent;
        });
        return isBack
          ? commonFault(body, ['reasoning_content'])
          : refusal('The `reasoning_content` in the thinking mode must be passed back to the API.');
      },
      play: (said) => [
        chunk({ role: 'assistant', content: null, reasoning_content: '' }),
        ...halves(said.reasoning).map((reasoning_content) =>
          chunk({ content: null, reasoning_content }),
        ),
        ...halves(said.text).map((content) => chunk({ content, reasoning_content: null })),
        ...(said.calls ?? []).flatMap(({ name, args }, index) => {
          const id = nextId();
          issued.set(id, said.reasoning ?? '');
          return [
            chunk({
              tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
            }),
            ...halves(json(args)).map((piece) =>
              chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
            ),
          ];
        }),
        chunk({ content: '', reasoning_content: null }, finishOf(said)),
        DONE,
      ],
    };
  },
};

const KIMI: Dialect = {
  server: 'Moonshot (Kimi)',
  model: 'kimi-k3',
  sources: [
    'github.com/vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-stream-tool-calls.chunks.txt (calls without index, usage in the choice)',
    'github.com/vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-kimi-k3-temperature-rejection.json, moonshotai-required-tool-choice-error.json',
    'github.com/theopenco/llmgateway/pull/2093 (an empty reasoning_content counts as missing, a blank does not)',
  ],
  showsReasoning: true,
  open() {
    const nextId = idMaker((count) => `call-${count}`);
    const issued = new Map<string, string>();
    const chunk = (delta: unknown, finish_reason: string | null = null, more = {}): string =>
      event({
        id: 'chatcmpl-tools',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'kimi-k3',
        choices: [{ index: 0, delta, finish_reason, ...more }],
      });
    return {
      refuse(body) {
        const { temperature } = body;
        if (temperature !== undefined && temperature !== 1)
          return refusal('invalid temperature: only 1 is allowed for this model');
        if (body['tool_choice'] === 'required')
          return refusal("tool_choice 'required' is incompatible with thinking enabled");
        for (const { index, message } of callingMessages(body)) {
          const sent = issued.get(message.tool_calls?.[0]?.id ?? '');
          const back = message['reasoning_content'] ?? '';
          if (back === '' || (sent !== undefined && back !== sent))
            return refusal(
              `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
            );
        }
        return commonFault(body, ['reasoning_content']);
      },
      play(said) {
        const calls = (said.calls ?? []).map(({ name, args }) => {
          const id = nextId();
          issued.set(id, said.reasoning ?? '');
          return { id, name, pieces: halves(json(args)) };
        });
        const first = calls.map(({ id, name, pieces }) => ({
          id,
          type: 'function',
          function: { name, arguments: pieces[0] ?? '' },
        }));
        const rest = calls.map(({ pieces }, index) => ({
          index,
          function: { arguments: pieces[1] ?? '' },
        }));
        return [
          chunk({ role: 'assistant', content: '' }),
          ...halves(said.reasoning).map((reasoning_content) => chunk({ reasoning_content })),
          ...halves(said.text).map((content) => chunk({ content })),
          ...(calls.length === 0 ? [] : [chunk({ tool_calls: first })]),
          ...(calls.length === 0 ? [] : [chunk({ tool_calls: rest.toReversed() })]),
          chunk({}, finishOf(said), { usage: USAGE }),
          DONE,
        ];
      },
    };
  },
};

/**
 * Servers that accept `reasoning_content` back but do not require it: whole calls in one delta, no null finish reasons.
 */
function lenient(
  facts: Pick<Dialect, 'server' | 'model' | 'sources'>,
  refuse: (body: LlmRequestBody) => Refusal | null,
  { asObjects = false } = {},
): Dialect {
  return {
    ...facts,
    showsReasoning: true,
    open() {
      const nextId = idMaker((count) => `call_5507023${count}`);
      const chunk = (delta: unknown, more = {}): string =>
        event({
          id: '028e638f',
          object: 'chat.completion.chunk',
          created: 1,
          model: facts.model,
          choices: [{ index: 0, delta, ...more }],
          system_fingerprint: 'fp_1',
        });
      return {
        refuse,
        play: (said) => [
          ...halves(said.reasoning).map((reasoning_content, index) =>
            chunk({ reasoning_content, ...(index === 0 && { role: 'assistant' }) }),
          ),
          ...halves(said.text).map((content) => chunk({ content })),
          ...(said.calls ?? []).map(({ name, args }, index) => {
            const written = { name, arguments: asObjects ? args : json(args) };
            return chunk({
              tool_calls: [{ id: nextId(), function: written, index, type: 'function' }],
            });
          }),
          chunk({}, { finish_reason: finishOf(said) }),
          event({ object: 'chat.completion.chunk', choices: [], usage: USAGE }),
          DONE,
        ],
      };
    },
  };
}

const XAI = lenient(
  {
    server: 'xAI',
    model: 'grok-3-mini',
    sources: [
      'github.com/charmbracelet/fantasy providertests/testdata/TestOpenAICompatibleThinking/xai-grok-3-mini/thinking-streaming.yaml',
      'github.com/BerriAI/litellm/pull/16265 (code and error are texts)',
    ],
  },
  (body) => {
    const fault = faultIn(body) ?? unknownMember(body, ['reasoning_content'])?.name;
    return fault
      ? { status: 400, body: { code: 'Client specified an invalid argument', error: fault } }
      : null;
  },
);

const ZAI = lenient(
  {
    server: 'Z.ai (GLM)',
    model: 'glm-4.7-flash',
    sources: [
      'github.com/charmbracelet/fantasy providertests/testdata/TestOpenAICompatibleThinking/zai-glm-4-7-flash/thinking-streaming.yaml',
      'docs.z.ai/guides/capabilities/thinking-mode (reasoning goes back with the results of tools)',
    ],
  },
  (body) => commonFault(body, ['reasoning_content']),
);

const LLAMA_CPP = lenient(
  {
    server: 'llama.cpp',
    model: 'openai/gpt-oss-20b',
    sources: [
      'github.com/charmbracelet/fantasy providertests/testdata/TestOpenAICompatibleThinking/llama-cpp-gpt-oss',
      'github.com/ggml-org/llama.cpp/issues/20198 (arguments as an object)',
      'github.com/Realiserad/fish-ai/issues/622 (more than one system message)',
    ],
  },
  (body) => {
    const systems = body.messages.filter(({ role }) => role === 'system').length;
    if (systems > 1)
      return {
        status: 400,
        body: {
          error: {
            code: 400,
            message: 'Jinja Exception: System message must be at the beginning.',
          },
        },
      };
    return commonFault(body, ['reasoning_content']);
  },
  { asObjects: true },
);

const FIREWORKS = lenient(
  {
    server: 'Fireworks',
    model: 'accounts/fireworks/models/glm-4p6',
    sources: [
      'github.com/FlowiseAI/Flowise/issues/2866, github.com/web-infra-dev/midscene/issues/1322 (extra inputs)',
      'docs.fireworks.ai/guides/reasoning (reasoning_content)',
    ],
  },
  (body) => {
    // Older deployments do not report usage in a stream.
    if (body['stream_options'] !== undefined)
      return refusal("Extra inputs are not permitted, field: 'stream_options'");
    return commonFault(body, ['reasoning_content']);
  },
);

export const REASONING_CONTENT_DIALECTS: readonly Dialect[] = [
  DEEPSEEK,
  KIMI,
  XAI,
  ZAI,
  LLAMA_CPP,
  FIREWORKS,
];
