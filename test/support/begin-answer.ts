import { readChatBody } from './chat-streams.ts';
import type { TestMillrace } from './test-millrace.ts';

/** A reader of an answer that is being written. */
export interface AnswerReader {
  sessionId: string;
  messageId: number;
  /** Everything until the stream ends. */
  rest(): Promise<string>;
  leave(): void;
}

/** Begins an answer without tools and reads until its first word. */
export async function beginAnswer(
  millrace: Pick<TestMillrace, 'url' | 'adminKey'>,
  body: object = {},
  key: string = millrace.adminKey,
): Promise<AnswerReader> {
  const leave = new AbortController();
  const response = await fetch(`${millrace.url}/chat/send-chat-message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Tell me', allowed_tool_ids: [], stream: true, ...body }),
    signal: leave.signal,
  });
  const decoder = new TextDecoder();
  const parts = response.body?.getReader();
  if (!parts) throw new Error('The answer has no body.');
  let text = '';
  const more = async (): Promise<boolean> => {
    const { done, value } = await parts.read();
    text += decoder.decode(value, { stream: true });
    return !done;
  };
  while (!text.includes('message_delta') && (await more()));
  const complete = text.slice(0, text.lastIndexOf('\n\n') + 2);
  const { lines } = readChatBody(response.status, complete);
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
