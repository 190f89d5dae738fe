import type { ProviderState } from './chat-model.ts';
import { deltaOf, isObject, type JsonObject, objectsIn } from './json-members.ts';
import { THINKING_START } from './split-thinking.ts';

/**
 * Reasoning as text: DeepSeek, Kimi, GLM, xAI and llama.cpp use the first name, Groq, OpenRouter and vLLM the second.
 */
const TEXTS = ['reasoning_content', 'reasoning'] as const;
/** Reasoning as signed or encrypted pieces: OpenRouter, MiniMax; LiteLLM. */
const LISTS = ['reasoning_details', 'thinking_blocks'] as const;
const CALL_MEMBERS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);
/** No provider sends more than this for an answer. */
const MAX_CHARACTERS = 2_000_000;

/** Collects from the chunks of an answer what its provider wants back. */
export class StateCollector {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, JsonObject[]>();
  readonly #calls = new Map<string, JsonObject>();
  readonly #idOfIndex = new Map<unknown, string>();
  #extra: JsonObject | null = null;
  #content = '';
  #parts: JsonObject[] = [];
  #room = MAX_CHARACTERS;

  add(chunk: unknown): void {
    const delta = deltaOf(chunk);
    if (delta === null || this.#room <= 0) return;
    for (const name of TEXTS) {
      const piece = delta[name];
      // Empty reasoning counts: DeepSeek wants it back too.
      if (typeof piece === 'string')
        this.#texts.set(name, this.#kept(this.#texts.get(name), piece));
    }
    for (const name of LISTS)
      for (const piece of objectsIn(delta[name])) this.#addPiece(listAt(this.#lists, name), piece);
    if (isObject(delta['extra_content']))
      this.#extra = merged(this.#extra, this.#measured(delta['extra_content']));
    this.#addContent(delta['content']);
    for (const call of objectsIn(delta['tool_calls'])) this.#addCall(call);
  }

  /** Undefined when there is nothing to send back. */
  ofMessage(): ProviderState | undefined {
    const state: JsonObject = {
      ...Object.fromEntries(this.#texts),
      ...Object.fromEntries(this.#lists),
    };
    // The pieces contain the same reasoning, and are signed.
    if (this.#lists.has('reasoning_details')) delete state['reasoning'];
    if (this.#extra !== null) state['extra_content'] = this.#extra;
    // Reasoning that was part of the content is sent back inside it.
    if (THINKING_START.test(this.#content)) state['content'] = this.#content;
    else if (this.#parts.some(({ type }) => type !== 'text')) state['content'] = this.#parts;
    return this.#givenBack(state);
  }

  ofCall(id: string): ProviderState | undefined {
    return this.#givenBack(this.#calls.get(id) ?? {});
  }

  #givenBack(state: JsonObject): ProviderState | undefined {
    return this.#room > 0 && Object.keys(state).length > 0 ? state : undefined;
  }

  #addContent(content: unknown): void {
    if (typeof content === 'string') {
      this.#content = this.#kept(this.#content, content);
      if (this.#parts.length > 0 && content !== '')
        this.#addPiece(this.#parts, { type: 'text', text: content });
    }
    for (const part of objectsIn(content)) this.#addPiece(this.#parts, part);
  }

  #addCall(call: JsonObject): void {
    const { index, id } = call;
    if (typeof id === 'string' && !this.#idOfIndex.has(index)) this.#idOfIndex.set(index, id);
    const known = this.#idOfIndex.get(index);
    const extras = Object.entries(call).filter(
      ([name, value]) => !CALL_MEMBERS.has(name) && value !== null,
    );
    if (known === undefined || extras.length === 0) return;
    const state = this.#measured(Object.fromEntries(extras));
    this.#calls.set(known, merged(this.#calls.get(known) ?? null, state));
  }

  /** Joins pieces of one text; others stay separate. */
  #addPiece(list: JsonObject[], piece: JsonObject): void {
    const added = this.#measured(piece);
    const last = list.at(-1);
    const joined = last && joinedPieces(last, added);
    if (joined) list[list.length - 1] = joined;
    else list.push(added);
  }

  #kept(soFar: string = '', piece: string): string {
    this.#room -= piece.length;
    return soFar + piece;
  }

  #measured(value: JsonObject): JsonObject {
    this.#room -= JSON.stringify(value).length;
    return value;
  }
}

function listAt(lists: Map<string, JsonObject[]>, name: string): JsonObject[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

const PIECE_TEXTS = ['text', 'summary', 'thinking'] as const;

/** Null when they are not two pieces of the same text. */
function joinedPieces(a: JsonObject, b: JsonObject): JsonObject | null {
  if (a['type'] !== b['type'] || a['index'] !== b['index']) return null;
  const name = PIECE_TEXTS.find((text) => a[text] !== undefined && a[text] !== null);
  if (name === undefined) return null;
  const more = b[name] ?? '';
  const text = joinedText(a[name], more);
  if (text === null) return null;
  const said = Object.entries(b).filter(([, value]) => value !== null && value !== '');
  return { ...a, ...Object.fromEntries(said), [name]: text };
}

/** Mistral's reasoning is a list of texts. */
function joinedText(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (!Array.isArray(a)) return null;
  const parts = [...objectsIn(a)];
  for (const piece of objectsIn(b)) {
    const last = parts.at(-1);
    const joined = last && joinedPieces(last, piece);
    if (joined) parts[parts.length - 1] = joined;
    else parts.push(piece);
  }
  return parts;
}

function merged(a: JsonObject | null, b: JsonObject): JsonObject {
  const result: JsonObject = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return result;
}
