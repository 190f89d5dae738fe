import type { WorkspaceId } from '#src/ids.ts';
import { workspaceSalt } from '#src/documents/bm25.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { orderedTermIds } from '#src/documents/tokenize.ts';
import { ByteCache } from '#src/platform/byte-cache.ts';
import { printOf, type TextPrint } from './find-copies.ts';

/** Of the texts that a process keeps: some 10,000 of the usual size. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** What searches make of a text: 12 bytes for each of its terms, of which there is one in six characters, and 1 KB. */
const MADE_BYTES_PER_CHARACTER = 2;
const MADE_BYTES = 1024;

/** What the text of a candidate says about its rank, as ids of terms. */
export interface Evidence {
  /** Of the document's title. */
  title: Int32Array;
  /** Of the chunk in order: title, headings and text, as they are indexed. */
  terms: Int32Array;
}

interface TextRow {
  /** Of the row: another one whenever it is written. */
  version: string;
  headings: readonly string[];
  text: string;
  is_html: boolean;
}

/** The text of a chunk, and what searches made of it, each once. */
export class KnownText {
  readonly version: string;
  /** As it is shown. */
  readonly text: string;
  readonly #headings: readonly string[];
  readonly #salt: number;
  #title: string | null = null;
  #evidence: Evidence | null = null;
  #print: TextPrint | null = null;

  constructor(workspaceId: WorkspaceId, { version, headings, text, is_html }: TextRow) {
    this.version = version;
    this.text = is_html ? visibleText(text) : text;
    this.#headings = headings;
    this.#salt = workspaceSalt(workspaceId);
  }

  /** The title may change without the chunk. */
  evidence(title: string): Evidence {
    if (this.#evidence !== null && this.#title === title) return this.#evidence;
    const headings = this.#headings[0] === title ? this.#headings.slice(1) : this.#headings;
    const terms = orderedTermIds([title, ...headings, this.text].join('\n'), this.#salt);
    this.#evidence = { title: orderedTermIds(title, this.#salt), terms };
    this.#title = title;
    return this.#evidence;
  }

  get print(): TextPrint {
    this.#print ??= printOf(this.text);
    return this.#print;
  }

  get bytes(): number {
    return (2 + MADE_BYTES_PER_CHARACTER) * this.text.length + MADE_BYTES;
  }
}

/** Ids of chunks begin anew in another database, those of workspaces are random. */
const nameOf = (workspaceId: WorkspaceId, chunkId: number) => `${workspaceId}/${chunkId}`;

const kept = new ByteCache<string, KnownText>(CACHE_BYTES);

/**
 * What this process keeps of a chunk; null when it keeps nothing. It counts only for a row of the same version that a
 * search may read.
 */
export function recallText(workspaceId: WorkspaceId, chunkId: number): KnownText | null {
  return kept.get(nameOf(workspaceId, chunkId));
}

export function keepText(workspaceId: WorkspaceId, chunkId: number, text: KnownText): void {
  kept.set(nameOf(workspaceId, chunkId), text, text.bytes);
}
