import type { LlmRequestBody } from '#test/support/scripted-llm.ts';
import { countOf, faultIn, hasObjectArguments, unknownMember } from './checks.ts';
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

interface Framing {
  /** Additional fields beside a choice's delta. */
  inChoice?: object;
  /** Additional fields beside the choices of the first chunk. */
  inFirst?: object;
  /** No empty fields, and the usage in the final chunk of the answer. */
  isTerse?: boolean;
}

/** Servers that call their reasoning field `reasoning`. */
function reasoning(
  facts: Pick<Dialect, 'server' | 'model' | 'sources'>,
  makeId: (count: number) => string,
  refuse: (body: LlmRequestBody) => Refusal | null,
  { inChoice = {}, inFirst = {}, isTerse = false }: Framing = {},
): Dialect {
  return {
    ...facts,
    showsReasoning: true,
    open() {
      const nextId = idMaker(makeId);
      const chunk = (delta: unknown, finish_reason: string | null = null, more = {}): string =>
        event({
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 1,
          model: facts.model,
          choices: [
            { index: 0, delta, ...inChoice, ...((finish_reason || !isTerse) && { finish_reason }) },
          ],
          ...more,
        });
      return {
        refuse,
        play: (said) => [
          chunk({ role: 'assistant', ...(!isTerse && { content: '' }) }, null, inFirst),
          ...halves(said.reasoning).map((text) => chunk({ reasoning: text })),
          ...halves(said.text).map((content) => chunk({ content })),
          ...(said.calls ?? []).map(({ name, args }, index) => {
            const written = { name, arguments: json(args) };
            return chunk({
              tool_calls: [{ id: nextId(), type: 'function', function: written, index }],
            });
          }),
          ...(isTerse
            ? [chunk({}, finishOf(said), { usage: USAGE, time_info: { total_time: 0.18 } })]
            : [
                chunk({}, finishOf(said)),
                event({ object: 'chat.completion.chunk', choices: [], usage: USAGE }),
              ]),
          DONE,
        ],
      };
    },
  };
}

const GROQ = reasoning(
  {
    server: 'Groq',
    model: 'openai/gpt-oss-120b',
    sources: [
      'github.com/vercel/ai packages/groq/src/__fixtures__/groq-reasoning.chunks.txt',
      'github.com/charmbracelet/fantasy providertests/testdata/TestOpenAICompatibleCommon/groq-kimi-k2/multi_tool_streaming.yaml',
      'github.com/janhq/jan/issues/8136 (reasoning_content is refused)',
    ],
  },
  (count) => `functions.add:${count}`,
  (body) => {
    const unknown = unknownMember(body, ['reasoning']);
    const fault = unknown
      ? `'messages.${unknown.index}' : for 'role:${unknown.role}' the following must be satisfied[('messages.${unknown.index}' : property '${unknown.name}' is unsupported)]`
      : faultIn(body);
    return fault
      ? { status: 400, body: { error: { message: fault, type: 'invalid_request_error' } } }
      : null;
  },
  { inChoice: { logprobs: null }, inFirst: { x_groq: { id: 'req_01', seed: 1 } } },
);

const CEREBRAS = reasoning(
  {
    server: 'Cerebras',
    model: 'zai-glm-4.7',
    sources: [
      'github.com/vercel/ai packages/cerebras/src/fixtures/cererebras-structured-output-tools.1.chunks.txt (at d7e3880)',
      'github.com/Kilo-Org/kilocode/issues/10375, github.com/CherryHQ/cherry-studio/issues/16790 (the refusal, without `error` around it)',
    ],
  },
  (count) => `3a1${count}bd0c9`,
  (body) => {
    const unknown = unknownMember(body, ['reasoning']);
    const place = unknown && `messages.${unknown.index}.${unknown.role}.${unknown.name}`;
    const fault = place ? `${place}: property '${place}' is unsupported` : faultIn(body);
    return fault
      ? {
          status: 400,
          body: {
            message: fault,
            type: 'invalid_request_error',
            param: 'validation_error',
            code: 'wrong_api_format',
          },
        }
      : null;
  },
  { isTerse: true },
);

const OLLAMA = reasoning(
  {
    server: 'Ollama',
    model: 'qwen3:8b',
    sources: [
      'github.com/ollama/ollama openai/openai.go (FromChatRequest: arguments are read into an object, reasoning is taken back)',
      'github.com/ollama/ollama/issues/13581 (whole calls in one chunk)',
      'github.com/decolua/9router/pull/3601 (delta.reasoning)',
    ],
  },
  (count) => `call_k2m9x7q${count}`,
  (body) => {
    const fault = hasObjectArguments(body) ? faultIn(body) : 'invalid tool call arguments';
    return fault
      ? {
          status: 400,
          body: {
            error: { message: fault, type: 'invalid_request_error', param: null, code: null },
          },
        }
      : null;
  },
);

const VLLM = reasoning(
  {
    server: 'vLLM',
    model: 'Qwen/Qwen3.6-27B',
    sources: [
      'docs.vllm.ai "Interleaved Thinking", and examples/reasoning (delta.reasoning)',
      'github.com/Netis/heron/pull/15 (renamed from reasoning_content)',
      'github.com/BerriAI/litellm/issues/26879 (more than one system message; the form of the refusal)',
      'github.com/vllm-project/vllm/pull/20662 (ids of calls)',
    ],
  },
  (count) => `chatcmpl-tool-a494943accbbc02${count}`,
  (body) => {
    const fault =
      countOf(body, 'system') > 1 ? 'System message must be at the beginning.' : faultIn(body);
    return fault
      ? {
          status: 400,
          body: { error: { message: fault, type: 'BadRequestError', param: null, code: 400 } },
        }
      : null;
  },
  { inChoice: { logprobs: null, token_ids: null } },
);

export const REASONING_DIALECTS: readonly Dialect[] = [GROQ, CEREBRAS, OLLAMA, VLLM];
