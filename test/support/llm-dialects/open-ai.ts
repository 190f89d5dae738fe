import { faultIn, unknownMember } from './checks.ts';
import {
  type Dialect,
  DONE,
  event,
  finishOf,
  halves,
  idMaker,
  json,
  type Refusal,
  type ScriptedAnswer,
  USAGE,
} from './dialect.ts';
import type { LlmRequestBody } from '#test/support/scripted-llm.ts';

function refusal(message: string, param: string | null, code: string | null): Refusal {
  return {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param, code } },
  };
}

/** What OpenAI's reasoning models refuse, also on Azure. */
function refuse(body: LlmRequestBody): Refusal | null {
  if (body['max_tokens'] !== undefined)
    return refusal(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    );
  const { temperature } = body;
  if (temperature !== undefined && temperature !== 1)
    return refusal(
      `Unsupported value: 'temperature' does not support ${json(temperature)} with this model. Only the default (1) value is supported.`,
      'temperature',
      'unsupported_value',
    );
  const fault = faultIn(body);
  if (fault !== null) return refusal(fault, null, null);
  const unknown = unknownMember(body);
  if (unknown === null) return null;
  const param = `messages[${unknown.index}].${unknown.name}`;
  return refusal(`Unknown parameter: '${param}'.`, param, 'unknown_parameter');
}

const OPENAI: Dialect = {
  server: 'OpenAI',
  model: 'gpt-5',
  sources: [
    'github.com/charmbracelet/fantasy providertests/testdata/TestOpenAICommon/openai-gpt-5/multi_tool_streaming.yaml',
    'github.com/decolua/9router/issues/560 (max_tokens, temperature)',
    'github.com/gabrii/Cursor-Azure-GPT-5/issues/33 (param and code)',
    'github.com/Nikunj2003/LLaMa-MCP-Streamlit/issues/1 (results without calls)',
  ],
  showsReasoning: false,
  open() {
    const nextId = idMaker((count) => `call_8ElDx${count}`);
    const head = {
      id: 'chatcmpl-D1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'gpt-5-2025-08-07',
      service_tier: 'default',
      system_fingerprint: null,
    };
    const chunk = (delta: unknown, finish_reason: string | null = null): string =>
      event({
        ...head,
        choices: [{ index: 0, delta, finish_reason }],
        usage: null,
        obfuscation: 'x',
      });
    return {
      refuse,
      play: (said: ScriptedAnswer) => [
        chunk({ role: 'assistant', content: said.calls ? null : '', refusal: null }),
        ...halves(said.text).map((content) => chunk({ content })),
        ...(said.calls ?? []).flatMap(({ name, args }, index) => [
          chunk({
            tool_calls: [
              { index, id: nextId(), type: 'function', function: { name, arguments: '' } },
            ],
          }),
          ...halves(json(args)).map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
          ),
        ]),
        chunk({}, finishOf(said)),
        event({ ...head, choices: [], usage: USAGE, obfuscation: 'x' }),
        DONE,
      ],
    };
  },
};

const AZURE: Dialect = {
  server: 'Azure OpenAI',
  model: 'o4-mini',
  sources: [
    'github.com/charmbracelet/fantasy providertests/testdata/TestAzureCommon/azure-o4-mini/tool_streaming.yaml',
    'github.com/gabrii/Cursor-Azure-GPT-5/issues/33',
  ],
  showsReasoning: false,
  open() {
    const nextId = idMaker((count) => `call_n1TZA${count}`);
    const tail = { created: 1, id: 'chatcmpl-D2', model: 'o4-mini-2025-04-16', usage: null };
    const chunk = (delta: unknown, finish_reason: string | null = null): string =>
      event({
        choices: [{ content_filter_results: {}, delta, finish_reason, index: 0, logprobs: null }],
        ...tail,
        object: 'chat.completion.chunk',
      });
    return {
      refuse,
      play: (said) => [
        // The content filter's verdict on the prompt comes first, in a chunk without choices.
        event({
          choices: [],
          created: 0,
          id: '',
          model: '',
          object: '',
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
        }),
        ...(said.calls ? [] : [chunk({ content: '', refusal: null, role: 'assistant' })]),
        ...halves(said.text).map((content) => chunk({ content })),
        ...(said.calls ?? []).flatMap(({ name, args }, index) => [
          chunk({
            ...(index === 0 && { content: null, refusal: null, role: 'assistant' }),
            tool_calls: [
              { function: { arguments: '', name }, id: nextId(), index, type: 'function' },
            ],
          }),
          ...halves(json(args)).map((piece) =>
            chunk({ tool_calls: [{ function: { arguments: piece }, index }] }),
          ),
        ]),
        chunk({}, finishOf(said)),
        event({ choices: [], ...tail, object: 'chat.completion.chunk', usage: USAGE }),
        DONE,
      ],
    };
  },
};

export const OPENAI_DIALECTS: readonly Dialect[] = [OPENAI, AZURE];
