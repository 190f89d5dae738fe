import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import type { LlmScript } from './scripted-llm.ts';

/** A tool call as it appears in a delta: the first piece has `id` and `name`, later ones have `arguments`. */
interface ToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function: { name?: string; arguments?: string };
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  completion_tokens_details?: { reasoning_tokens: number };
}

function chunk(members: Record<string, unknown>): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, ...members })}\n\n`;
}

export function chunkEvent(
  delta: Record<string, unknown>,
  finishReason: string | null = null,
): string {
  return chunk({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

export const textEvent = (content: string): string => chunkEvent({ content });
export const reasoningEvent = (text: string): string => chunkEvent({ reasoning_content: text });
export const refusalEvent = (refusal: string): string => chunkEvent({ refusal });
const usageEvent = (usage: Usage): string => chunk({ choices: [], usage });
export const errorEvent = (message: string, type: string = 'server_error'): string =>
  `data: ${JSON.stringify({ error: { message, type } })}\n\n`;
/** Sent by proxies to keep a connection open. */
export const KEEP_ALIVE = ': keep-alive\n\n';
export const DONE = 'data: [DONE]\n\n';
export const endEvents = (reason: string = 'stop', usage?: Usage): string =>
  chunkEvent({}, reason) + (usage === undefined ? '' : usageEvent(usage)) + DONE;
export const END_EVENTS = endEvents();

/** Several tool calls at once; `args` is sent as JSON, or unchanged when it is a string, in `pieces` deltas. */
export function toolCallEvents(
  calls: readonly { name: string; args: unknown; id?: string }[],
  pieces: number = 1,
): string[] {
  const heads = calls.map(({ name, id }, index) =>
    toolCallEvent({ index, id: id ?? `call_${index}`, type: 'function', function: { name } }),
  );
  const texts = calls.map(({ args }) => (typeof args === 'string' ? args : JSON.stringify(args)));
  // Interleaves the pieces of all calls, as servers with parallel calls do.
  const bodies = Array.from({ length: pieces }, (_, piece) =>
    texts.map((text, index) => {
      const part = text.slice(cut(text, piece, pieces), cut(text, piece + 1, pieces));
      return toolCallEvent({ index, function: { arguments: part } });
    }),
  );
  return [...heads, ...bodies.flat()];
}

export const toolCallEvent = (delta: ToolCallDelta): string => chunkEvent({ tool_calls: [delta] });

function cut(text: string, piece: number, pieces: number): number {
  return Math.round((text.length * piece) / pieces);
}

export function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Sends the events and ends the response. */
export function plays(...events: string[]): LlmScript {
  return (response) => {
    startEvents(response);
    for (const event of events) response.write(event);
    response.end();
  };
}

/** An answer in these pieces. */
export const answersText = (...texts: string[]): LlmScript =>
  plays(...texts.map(textEvent), END_EVENTS);

/** An answer that consists only of tool calls. */
export const callsTools = (
  calls: readonly { name: string; args: unknown; id?: string }[],
  pieces: number = 1,
): LlmScript => plays(...toolCallEvents(calls, pieces), endEvents('tool_calls'));

/** Sends the events and then breaks the connection. */
export function playsAndBreaks(...events: string[]): LlmScript {
  return async (response) => {
    startEvents(response);
    for (const event of events) await written(response, event);
    response.destroy();
  };
}

/** Sends the events with a pause before each. */
export function playsSlowly(pauseMs: number, ...events: string[]): LlmScript {
  return async (response) => {
    startEvents(response);
    for (const event of events) {
      await pause(pauseMs);
      response.write(event);
    }
    response.end();
  };
}

/** Sends the events and then nothing more. */
export function playsAndHangs(...events: string[]): LlmScript {
  return (response) => {
    startEvents(response);
    for (const event of events) response.write(event);
  };
}

/** Sends the bytes of the events in pieces of that size, even across characters. */
export function playsBytes(size: number, ...events: string[]): LlmScript {
  return async (response) => {
    startEvents(response);
    response.socket?.setNoDelay(true);
    const bytes = Buffer.from(events.join(''));
    for (let start = 0; start < bytes.length; start += size) {
      await written(response, bytes.subarray(start, start + size));
      await nextTurn();
    }
    response.end();
  };
}

/** Repeats the event as fast as the client reads until it disconnects; `first` comes before. */
export function playsEndlessly(event: string, first: string = ''): LlmScript {
  return async (response) => {
    startEvents(response);
    response.write(first);
    const gone = once(response, 'close');
    while (!response.destroyed) {
      if (!response.write(event)) await Promise.race([once(response, 'drain'), gone]);
      else await nextTurn();
    }
  };
}

export function answerError(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  labels: Record<string, unknown> = { type: 'x' },
): LlmScript {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, ...labels } }));
  };
}

function written(response: ServerResponse, data: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(data, () => resolve());
  });
}
