import type { LlmRequestBody } from '#test/support/scripted-llm.ts';
import { callingMessages, faultIn, firstCallId, unknownMember } from './checks.ts';
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

const MISTRAL: Dialect = {
  server: 'Mistral',
  model: 'magistral-medium-2507',
  sources: [
    'github.com/vercel/ai packages/mistral/src/__fixtures__/mistral-reasoning.chunks.txt, mistral-tool-call.chunks.txt',
    'github.com/charmbracelet/crush/issues/1590 (422 extra_forbidden)',
    'github.com/editor-code-assistant/eca/issues/233 (ids of nine letters and digits)',
  ],
  assumed:
    'That it answers 400 when thinking does not come back: no such refusal was found. It is asked for here so that it does.',
  showsReasoning: true,
  open() {
    const nextId = idMaker((count) => `gSIMJiOk${count}`);
    const issued = new Map<string, unknown>();
    const chunk = (delta: unknown, finish_reason: string | null = null, more = {}): string =>
      event({
        id: 'a4e29c5b',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'magistral-medium-2507',
        choices: [{ index: 0, delta, finish_reason, logprobs: null }],
        ...more,
      });
    const thinking = (text: string): object => ({
      type: 'thinking',
      thinking: [{ type: 'text', text }],
    });
    return {
      refuse(body) {
        const unknown = unknownMember(body);
        if (unknown !== null) {
          const loc = ['body', 'messages', unknown.index, unknown.role, unknown.name];
          const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' }];
          return { status: 422, body: { detail } };
        }
        const ids = callingMessages(body).flatMap(({ message }) => message.tool_calls ?? []);
        const wrong = ids.find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
        const isBack = callingMessages(body).every(({ message }) => {
          const sent = issued.get(firstCallId(message));
          return sent === undefined || json(message.content) === json(sent);
        });
        const fault = wrong
          ? `Tool call id was ${wrong.id} but must be a-z, A-Z, 0-9, with a length of 9.`
          : isBack
            ? faultIn(body)
            : 'The thinking of the model is not in its message.';
        return fault === null
          ? null
          : {
              status: 400,
              body: {
                object: 'error',
                message: fault,
                type: 'invalid_request_error',
                code: '3280',
              },
            };
      },
      play(said) {
        const calls = (said.calls ?? []).map(({ name, args }) => ({
          id: nextId(),
          function: { name, arguments: json(args) },
        }));
        const words = said.text === undefined ? [] : [{ type: 'text', text: said.text }];
        if (calls[0] && said.reasoning)
          issued.set(calls[0].id, [thinking(said.reasoning), ...words]);
        const last = calls.length > 0 ? { content: null, tool_calls: calls } : { content: '' };
        return [
          ...halves(said.reasoning).map((text, index) =>
            chunk({ ...(index === 0 && { role: 'assistant' }), content: [thinking(text)] }),
          ),
          ...halves(said.text).map((text, index) =>
            chunk({ content: index === 0 ? [{ type: 'text', text }] : text }),
          ),
          // The calls come in the final chunk of the answer, without index and type.
          chunk(last, finishOf(said), { usage: USAGE }),
          DONE,
        ];
      },
    };
  },
};

/** Servers that pass on the raw output of the model, including reasoning between tags. */
function tagged(
  facts: Pick<Dialect, 'server' | 'model' | 'sources' | 'assumed'>,
  refuse: (body: LlmRequestBody, isBack: boolean) => Refusal | null,
): Dialect {
  return {
    ...facts,
    showsReasoning: true,
    open() {
      const nextId = idMaker((count) => `51836423${count}`);
      const issued = new Map<string, string>();
      const chunk = (delta: unknown, finish_reason: string | null = null): string =>
        event({
          id: 'chatcmpl-x',
          object: 'chat.completion.chunk',
          created: 1,
          model: facts.model,
          system_fingerprint: facts.model,
          choices: [{ index: 0, delta, logprobs: null, finish_reason }],
        });
      return {
        refuse(body) {
          const isBack = callingMessages(body).every(({ message }) => {
            const sent = issued.get(firstCallId(message));
            return sent === undefined || message.content === sent;
          });
          return refuse(body, isBack);
        },
        play(said) {
          const thought = said.reasoning ? `<think>\n${said.reasoning}\n</think>\n\n` : '';
          const content = thought + (said.text ?? '');
          const calls = (said.calls ?? []).map((call) => ({ ...call, id: nextId() }));
          if (calls[0]) issued.set(calls[0].id, content);
          return [
            // Three characters at a time, so that no tag arrives whole.
            ...(content.match(/.{1,3}/gs) ?? []).map((piece) =>
              chunk({ role: 'assistant', content: piece }),
            ),
            ...calls.flatMap(({ id, name, args }, index) => [
              chunk({
                tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
              }),
              chunk({
                tool_calls: [{ index, type: 'function', function: { arguments: json(args) } }],
              }),
            ]),
            chunk({}, finishOf(said)),
            DONE,
          ];
        },
      };
    },
  };
}

const LM_STUDIO = tagged(
  {
    server: 'LM Studio',
    model: 'qwen3-4b-thinking-2507',
    sources: [
      'github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1569 (tags in the content)',
      'github.com/antropia-studio/linguito/issues/21 (`error` is a text; tool_choice is one)',
    ],
  },
  (body) => {
    const choice = body['tool_choice'];
    const fault =
      choice !== undefined && !['"none"', '"auto"', '"required"'].includes(json(choice))
        ? `Invalid tool_choice type: '${typeof choice}'. Supported string values: none, auto, required`
        : faultIn(body);
    return fault === null ? null : { status: 400, body: { error: fault } };
  },
);

const MINIMAX = tagged(
  {
    server: 'MiniMax',
    model: 'MiniMax-M2.7',
    sources: [
      'skills.sh/terrylica/cc-skills/minimax (tags in the content)',
      'docs.vllm.ai "Interleaved Thinking", novita.ai/docs/guides/llm-interleaved-thinking (the thinking of a turn stays in its messages; answers get worse without)',
    ],
    assumed:
      'That it answers 400 when thinking does not come back: the pages ask for it and tell of no refusal.',
  },
  (body, isBack) => {
    const fault = isBack ? faultIn(body) : 'The thinking of the model is not in its message.';
    return fault === null
      ? null
      : { status: 400, body: { error: { message: fault, type: 'bad_request_error' } } };
  },
);

const ANTHROPIC: Dialect = {
  server: 'Anthropic (OpenAI SDK compatibility)',
  model: 'claude-sonnet-4-5',
  sources: [
    'github.com/vercel/ai packages/openai-compatible/src/chat/__fixtures__/anthropic-fallback-tool-call.sse',
    'platform.claude.com/docs/en/api/openai-sdk (no thinking is returned; unknown fields are ignored; temperature is capped)',
    'github.com/anthropics/claude-code/issues/7929, github.com/tghamm/Anthropic.SDK/issues/184 (calls and results belong together)',
  ],
  showsReasoning: false,
  open() {
    const nextId = idMaker((count) => `toolu_0149kv38${count}`);
    const chunk = (delta: unknown, finish_reason: string | null = null): string =>
      event({
        id: 'msg_1',
        choices: [{ index: 0, delta, finish_reason }],
        created: 1,
        model: 'claude-sonnet-4-5',
        object: 'chat.completion.chunk',
      });
    return {
      refuse(body) {
        const message = faultIn(body);
        const error = { code: 'invalid_request_error', message, type: 'invalid_request_error' };
        return message === null ? null : { status: 400, body: { error } };
      },
      play: (said) => [
        chunk({ role: 'assistant' }),
        ...halves(said.text).map((content) => chunk({ content })),
        ...(said.calls ?? []).flatMap(({ name, args }, at) => {
          // The index counts all blocks of the message, including its text.
          const index = at + (said.text === undefined ? 0 : 1);
          const named = { name, arguments: '' };
          return [
            chunk({ tool_calls: [{ index, id: nextId(), type: 'function', function: named }] }),
            ...['', ...halves(json(args))].map((piece) =>
              chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
            ),
          ];
        }),
        chunk({}, finishOf(said)),
        DONE,
      ],
    };
  },
};

export const IN_CONTENT_DIALECTS: readonly Dialect[] = [MISTRAL, LM_STUDIO, MINIMAX, ANTHROPIC];
