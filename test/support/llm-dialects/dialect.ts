import type { LlmRequestBody } from '#test/support/scripted-llm.ts';

/** What a server should say, independent of its format. */
export interface ScriptedAnswer {
  reasoning?: string;
  text?: string;
  calls?: readonly { name: string; args: unknown }[];
  /** It ends at its length limit. */
  isTruncated?: boolean;
}

export interface Refusal {
  status: number;
  body: unknown;
}

/** A server as strict as its vendor's, for one test; it remembers what it has sent. */
export interface DialectServer {
  /** Null when it accepts the request. */
  refuse: (body: LlmRequestBody) => Refusal | null;
  /** The events of an answer, framing included. */
  play: (said: ScriptedAnswer) => string[];
}

/** One vendor's response format, and what it refuses. */
export interface Dialect {
  server: string;
  model: string;
  /** Sources for the format of its events and refusals: recordings, issues with logs, the vendor's page. */
  sources: readonly string[];
  /** What none of the sources shows. */
  assumed?: string;
  /** It shows its reasoning. */
  showsReasoning: boolean;
  open: () => DialectServer;
}

export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const DONE = 'data: [DONE]\n\n';

/** A text in two pieces, as it would be streamed. */
export function halves(text: string | undefined): string[] {
  if (text === undefined) return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

export function finishOf(said: ScriptedAnswer): 'stop' | 'tool_calls' | 'length' {
  if (said.isTruncated) return 'length';
  return said.calls ? 'tool_calls' : 'stop';
}

/** Ids in a vendor's style: `call_1`, `call_2` … */
export function idMaker(make: (count: number) => string): () => string {
  let count = 0;
  return () => make((count += 1));
}

export const json = (value: unknown): string => JSON.stringify(value);
export const USAGE = { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 };
