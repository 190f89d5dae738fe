import type { LlmRequestBody } from '#test/support/scripted-llm.ts';

type Message = LlmRequestBody['messages'][number] & Record<string, unknown>;

const PARAMETERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
]);
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls'],
  tool: ['role', 'content', 'tool_call_id'],
};

/**
 * The error that every server reports for a malformed conversation, in OpenAI's words: results without their calls,
 * calls without their results, duplicate ids, arguments that are not a string, unknown parameters. Null when there is
 * none.
 */
export function faultIn(body: LlmRequestBody): string | null {
  const unknown = Object.keys(body).find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`;
  if (body['tool_choice'] !== undefined && body.tools === undefined)
    return "'tool_choice' is only allowed when 'tools' are specified.";
  let open: string[] = [];
  for (const [index, message] of body.messages.entries()) {
    const calls = message.tool_calls ?? [];
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? ''))
        return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. messages.[${index}].role`;
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`;
    const ids = calls.map(({ id }) => id);
    if (ids.some((id) => id === '') || new Set(ids).size < ids.length)
      return `Duplicate or empty tool_call ids in messages[${index}]`;
    if (calls.some((call) => typeof call.function.arguments !== 'string'))
      return `Invalid type for 'messages[${index}].tool_calls[0].function.arguments': expected a string`;
    if (message.content === null && calls.length === 0)
      return `Invalid value for 'content': expected a string, got null. messages[${index}]`;
    open = ids;
  }
  return open.length > 0 ? `There are no results for ${open.join(', ')}` : null;
}

/** The first field of a message, or of a call in it, that the server does not know. */
export function unknownMember(
  body: LlmRequestBody,
  known: readonly string[] = [],
): { index: number; role: string; name: string } | null {
  for (const [index, message] of messagesOf(body).entries()) {
    const { role } = message;
    const names = [
      ...Object.keys(message).filter((name) => !MEMBERS[role]?.includes(name)),
      ...(message.tool_calls ?? [])
        .flatMap(Object.keys)
        .filter((name) => !['id', 'type', 'function'].includes(name)),
    ];
    const name = names.find((member) => !known.includes(member));
    if (name !== undefined) return { index, role, name };
  }
  return null;
}

function messagesOf(body: LlmRequestBody): Message[] {
  return body.messages;
}

/** The assistant's messages with calls, each with its index. */
export function callingMessages(body: LlmRequestBody): { index: number; message: Message }[] {
  return messagesOf(body)
    .map((message, index) => ({ index, message }))
    .filter(({ message }) => (message.tool_calls ?? []).length > 0);
}

/** Those after the last user message. */
export function currentCalls(body: LlmRequestBody): ReturnType<typeof callingMessages> {
  const asked = body.messages.findLastIndex(({ role }) => role === 'user');
  return callingMessages(body).filter(({ index }) => index > asked);
}

export const firstCallId = (message: Message): string => message.tool_calls?.[0]?.id ?? '';
export const countOf = (body: LlmRequestBody, role: string): number =>
  body.messages.filter((message) => message.role === role).length;

/** Whether the arguments of every call in the history are an object. */
export function hasObjectArguments(body: LlmRequestBody): boolean {
  return callingMessages(body)
    .flatMap(({ message }) => message.tool_calls ?? [])
    .every((call) => /^\{.*\}$/s.test(call.function.arguments.trim()));
}
