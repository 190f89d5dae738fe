import { randomBytes } from 'node:crypto';

import { isObject, type JsonObject, objectsIn } from './json-members.ts';

/** The tool calls that an answer has begun. */
export interface SeenCalls {
  /** By index. */
  readonly ids: Map<number, string>;
}

export interface NormalizedChunk {
  /** Null when nothing had to be changed. */
  normalized: JsonObject | null;
  /** It contains text or a call. */
  hasOutput: boolean;
  isFinished: boolean;
}

const NOTHING: NormalizedChunk = { normalized: null, hasOutput: false, isFinished: false };

/**
 * Normalizes one chunk of an answer to OpenAI's format. Known dialects: `arguments` as an object (llama.cpp b8200,
 * gateways to Ollama), calls without `index` (Gemini, Mistral, Kimi), without or with a repeated `id`, other roles,
 * events without `choices`, `"error": null`.
 */
export function normalizeChunk(chunk: unknown, calls: SeenCalls): NormalizedChunk {
  if (!isObject(chunk)) return NOTHING;
  let isChanged = false;
  const set = (target: JsonObject, name: string, value: unknown): void => {
    target[name] = value;
    isChanged = true;
  };
  if (chunk['error'] === null) {
    delete chunk['error'];
    isChanged = true;
  }
  if (chunk['choices'] === undefined || chunk['choices'] === null) {
    // A message of the server beside the answer, such as a ping; an error is left unchanged.
    if ('error' in chunk || !isAside(chunk)) return NOTHING;
    set(chunk, 'choices', []);
  }
  const [choice] = objectsIn(chunk['choices']);
  const delta = isObject(choice?.['delta']) ? choice['delta'] : {};
  const { role, content } = delta;
  if (typeof role === 'string' && role !== 'assistant') set(delta, 'role', 'assistant');
  const written = objectsIn(delta['tool_calls']);
  for (const call of written) if (normalizeCall(call, calls)) isChanged = true;
  return {
    normalized: isChanged ? chunk : null,
    hasOutput: written.length > 0 || (content ?? '') !== '',
    isFinished: (choice?.['finish_reason'] ?? '') !== '',
  };
}

/** Anything but a chunk is left for the library to reject. */
function isAside(chunk: JsonObject): boolean {
  return 'usage' in chunk || 'type' in chunk || chunk['object'] === 'chat.completion.chunk';
}

function normalizeCall(call: JsonObject, { ids }: SeenCalls): boolean {
  let isChanged = false;
  const { index, id } = call;
  if (typeof index !== 'number') {
    call['index'] = indexOf(call, ids);
    isChanged = true;
  }
  const at = Number(call['index']);
  const isNew = !ids.has(at);
  if (isNew) {
    const taken = typeof id !== 'string' || id === '' || [...ids.values()].includes(id);
    ids.set(at, taken ? newCallId() : id);
    isChanged ||= taken;
    if (taken) call['id'] = ids.get(at);
  }
  const written = call['function'];
  if (!isObject(written)) {
    call['function'] = {};
    return true;
  }
  if (typeof written['arguments'] === 'object' && written['arguments'] !== null) {
    written['arguments'] = JSON.stringify(written['arguments']);
    isChanged = true;
  }
  return isChanged;
}

/** A piece without an index continues the call with its id, or the last one, unless it begins another. */
function indexOf({ index, id, function: written }: JsonObject, ids: SeenCalls['ids']): number {
  if (typeof index === 'string' && /^\d{1,4}$/.test(index)) return Number(index);
  const last = Math.max(-1, ...ids.keys());
  const known = [...ids].find(([, knownId]) => knownId === id);
  if (known) return known[0];
  const name = isObject(written) ? written['name'] : undefined;
  const isBeginning = (typeof id === 'string' && id !== '') || (typeof name === 'string' && name);
  return isBeginning || last === -1 ? last + 1 : last;
}

/** Nine letters and digits: Mistral accepts no other ids. */
function newCallId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}
