import { isObject, type JsonObject, objectsIn } from './json-members.ts';

export type RequestBody = JsonObject;

/** A feature that a model does not accept, and how to send a request without it. */
export interface Quirk {
  readonly name: string;
  /** False: it applies to this request only. */
  readonly isLasting: boolean;
  /** The changed body; the same object when there is nothing to change. */
  readonly apply: (body: RequestBody) => RequestBody;
}

type Rule = (words: string, body: RequestBody) => Quirk | null;

const IS_MISSING = /missing|must be (?:passed|provided|included|present|set)|is required/i;
const IS_OUT_OF_RANGE = /between|in the range|less than|greater than|at most|at least|too large/i;
const STANDARD_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'name',
]);
const STANDARD_CALL_MEMBERS: ReadonlySet<string> = new Set(['id', 'type', 'function', 'index']);

/**
 * The quirk that a refusal asks for, if it is not among the `known`; null when no change would help.
 * @param words the provider's message
 * @param body the request that was sent
 */
export function quirkFor(
  words: string,
  body: RequestBody,
  known: ReadonlySet<string>,
): Quirk | null {
  const before = JSON.stringify(body);
  for (const rule of RULES) {
    const quirk = rule(words, body);
    if (quirk === null || known.has(quirk.name)) continue;
    if (JSON.stringify(quirk.apply(body)) !== before) return quirk;
  }
  return null;
}

/** DeepSeek, Kimi: an assistant message without reasoning, for example one whose call was not the model's own. */
const fillReasoning: Rule = (words) =>
  /reasoning_content/i.test(words) && IS_MISSING.test(words)
    ? lasting('reasoning_content filled', (body) =>
        onAssistants(body, (message) =>
          // Kimi accepts a blank as reasoning, but no missing one.
          (message['reasoning_content'] ?? '') === ''
            ? { ...message, reasoning_content: ' ' }
            : message,
        ),
      )
    : null;

/** Google's documented value for calls that Gemini has not made itself (ai.google.dev, "Thought signatures"). */
const UNSIGNED = { google: { thought_signature: 'skip_thought_signature_validator' } };

const signCalls: Rule = (words) =>
  /thought_?signature/i.test(words) && IS_MISSING.test(words)
    ? lasting('calls signed', (body) =>
        onAssistants(body, (message) => {
          const [first, ...others] = objectsIn(message['tool_calls']);
          // One signature covers the calls of a message.
          if (first === undefined || first['extra_content'] !== undefined) return message;
          return { ...message, tool_calls: [{ ...first, extra_content: UNSIGNED }, ...others] };
        }),
      )
    : null;

/** Anthropic behind a gateway, Bedrock: calls in the history of a request without tools. */
const declareTools: Rule = (words, { tools }) =>
  tools === undefined && /tools=|define tools|toolConfig/i.test(words)
    ? lasting('used tools declared', (body) => {
        const names = new Set(callsIn(body).map((call) => writtenOf(call)['name']));
        if (body['tools'] !== undefined || names.size === 0) return body;
        return { ...body, tools: [...names].map(bareTool), tool_choice: 'none' };
      })
    : null;

function bareTool(name: unknown): JsonObject {
  return { type: 'function', function: { name, parameters: { type: 'object', properties: {} } } };
}

/** Reasoning models that cannot be forced to call: DeepSeek, Kimi, Qwen. */
const freeToolChoice: Rule = (words, { tool_choice: refused }) =>
  /tool[_ ]choice/i.test(words) && refused !== undefined
    ? lasting(`tool_choice not ${JSON.stringify(refused)}`, (body) =>
        JSON.stringify(body['tool_choice']) === JSON.stringify(refused)
          ? without(body, 'tool_choice')
          : body,
      )
    : null;

/** OpenAI's reasoning models, also on Azure. */
const renameMaxTokens: Rule = (words, body) =>
  /max_completion_tokens/.test(words) && !IS_OUT_OF_RANGE.test(words) && has(body, 'max_tokens')
    ? lasting('max_completion_tokens', ({ max_tokens, ...others }) =>
        max_tokens === undefined ? others : { ...others, max_completion_tokens: max_tokens },
      )
    : null;

/** A setting that can be omitted. */
function leftOut(pattern: RegExp, ...names: string[]): Rule {
  return (words, body) =>
    pattern.test(words) && names.some((name) => has(body, name))
      ? {
          name: `no ${names[0] ?? ''}`,
          isLasting: !IS_OUT_OF_RANGE.test(words),
          apply: (shaped) => names.reduce(without, shaped),
        }
      : null;
}

/** A member that the provider, or another server behind the same name, sent itself but does not accept. */
const stripState: Rule = (words, body) => {
  const members = [...assistantsIn(body), ...callsIn(body)].flatMap(Object.keys);
  const name = [...new Set(members)].find(
    (member) =>
      !STANDARD_MEMBERS.has(member) &&
      !STANDARD_CALL_MEMBERS.has(member) &&
      new RegExp(`\\b${RegExp.escape(member)}\\b`).test(words),
  );
  if (name === undefined || IS_MISSING.test(words)) return null;
  return lasting(`no ${name} in messages`, (shaped) =>
    onAssistants(shaped, (message) => {
      const calls = objectsIn(message['tool_calls']).map((call) => without(call, name));
      return { ...without(message, name), ...(calls.length > 0 && { tool_calls: calls }) };
    }),
  );
};

/** Ollama, and templates of llama.cpp and vLLM, parse arguments into an object. */
const repairArguments: Rule = (words) =>
  /arguments|tool_use\.input|valid dictionary|mapping/i.test(words)
    ? lasting('arguments are objects', (body) =>
        onAssistants(body, (message) => {
          const calls = objectsIn(message['tool_calls']).map(withObjectArguments);
          return calls.length > 0 ? { ...message, tool_calls: calls } : message;
        }),
      )
    : null;

function withObjectArguments(call: JsonObject): JsonObject {
  const written = writtenOf(call);
  if (isObject(parsed(written['arguments']))) return call;
  return { ...call, function: { ...written, arguments: '{}' } };
}

/** Templates of Qwen, Gemma and Mistral. */
const joinSystem: Rule = (words, body) =>
  /system/i.test(words) && messagesIn(body).filter(isSystem).length > 1
    ? lasting('one system message', joinedSystem)
    : null;

function joinedSystem(body: RequestBody): RequestBody {
  const messages = messagesIn(body);
  const [first, ...more] = messages.filter(isSystem);
  if (first === undefined || more.length === 0) return body;
  const content = [first, ...more].map((message) => message['content']).join('\n\n');
  return {
    ...body,
    messages: [{ ...first, content }, ...messages.filter((message) => !isSystem(message))],
  };
}

const RULES: readonly Rule[] = [
  fillReasoning,
  signCalls,
  declareTools,
  freeToolChoice,
  renameMaxTokens,
  leftOut(/max_(?:completion_|output_)?tokens/i, 'max_tokens', 'max_completion_tokens'),
  leftOut(/\btemperature\b/i, 'temperature'),
  leftOut(/stream_options|include_usage/i, 'stream_options'),
  stripState,
  repairArguments,
  joinSystem,
];

function lasting(name: string, apply: Quirk['apply']): Quirk {
  return { name, isLasting: true, apply };
}

function has(body: RequestBody, name: string): boolean {
  return body[name] !== undefined;
}

function without(body: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...others } = body;
  return others;
}

function messagesIn(body: RequestBody): JsonObject[] {
  return objectsIn(body['messages']);
}

function isSystem({ role }: JsonObject): boolean {
  return role === 'system';
}

function assistantsIn(body: RequestBody): JsonObject[] {
  return messagesIn(body).filter(({ role }) => role === 'assistant');
}

function callsIn(body: RequestBody): JsonObject[] {
  return assistantsIn(body).flatMap((message) => objectsIn(message['tool_calls']));
}

function writtenOf(call: JsonObject): JsonObject {
  return isObject(call['function']) ? call['function'] : {};
}

function onAssistants(body: RequestBody, change: (message: JsonObject) => JsonObject): RequestBody {
  const messages = messagesIn(body).map((message) =>
    message['role'] === 'assistant' ? change(message) : message,
  );
  return { ...body, messages };
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
