import { MarkdownLines } from './markdown-lines.ts';
import { opensCitation, readCitation } from './read-citation.ts';
import { readTarget } from './read-link.ts';
import { VerbatimSpans } from './verbatim-spans.ts';

const WORDS = /^[^\n`$\\<[【［]+/;
/** Where a citation may begin, judging by the text so far. */
const MAY_CITE = /[[【［](?=[\s\d[【［]|$)/;
/** How much of the text before a mark is needed to judge it. */
const MAX_BEFORE = 80;

/** Numbers in brackets within words: not in code, maths, a link or a tag. */
export interface CitationMark {
  kind: 'mark';
  /** The original text, including its link. */
  raw: string;
  numbers: readonly number[];
  /** The target of the link after it; null when there is none. */
  target: string | null;
  /** The end of the text before it. */
  before: string;
  /** The character after it; empty at the end of the text. */
  after: string;
}

export type CitationToken =
  | { kind: 'text'; text: string }
  /** Where the language of an unlabelled code block belongs. */
  | { kind: 'label' }
  | CitationMark;

/**
 * Splits the text of an answer, in pieces of any size, into marks that may be citations and everything else. The output
 * does not depend on where the pieces were cut. Text is held back only where a mark may begin.
 */
export class CitationScanner {
  readonly #maxTarget: number;
  readonly #lines = new MarkdownLines();
  readonly #spans = new VerbatimSpans();
  #pending = '';
  /** How much of `#pending` was emitted while still undecided. */
  #shown = 0;
  /** Position of `#pending` in the whole text. */
  #place = 0;
  #before = '';
  #isIn: 'line start' | 'words' | 'verbatim' = 'line start';
  #tokens: CitationToken[] = [];

  /** @param maxTarget maximum length of a link after a mark */
  constructor(maxTarget: number) {
    this.#maxTarget = maxTarget;
  }

  /** The tokens that are decided after adding `text`. */
  read(text: string): CitationToken[] {
    this.#pending += text;
    while (this.#pending !== '' && this.#step(false));
    this.#showAhead();
    return this.#take();
  }

  /** Flushes what was held back. */
  end(): CitationToken[] {
    while (this.#pending !== '') this.#step(true);
    return this.#take();
  }

  /** Consumes the beginning of `#pending`; false when more text is needed to decide. */
  #step(isEnd: boolean): boolean {
    if (this.#isIn === 'line start') return this.#stepLineStart(isEnd);
    const next = this.#pending[0] ?? '';
    if (this.#isIn === 'verbatim') {
      const newline = this.#pending.indexOf('\n');
      if (newline !== -1) this.#isIn = 'line start';
      return this.#consume(newline === -1 ? this.#pending.length : newline + 1);
    }
    if (next === '\n') {
      this.#isIn = 'line start';
      return this.#consume(1);
    }
    const words = WORDS.exec(this.#pending)?.[0].length ?? 0;
    if (words > 0) return this.#consume(words);
    return opensCitation(next) ? this.#stepBracket(isEnd) : this.#stepSpan(isEnd);
  }

  #stepLineStart(isEnd: boolean): boolean {
    const head = this.#lines.readHead(this.#pending, isEnd);
    if (head === null) return false;
    this.#isIn = head.rest;
    this.#consume(head.length);
    if (head.isUnlabelledFence) this.#tokens.push({ kind: 'label' });
    return true;
  }

  #stepBracket(isEnd: boolean): boolean {
    const reading = readCitation(this.#pending);
    if (reading.kind === 'unfinished' && !isEnd) return false;
    if (reading.kind !== 'citation') return this.#stepSpan(isEnd);
    const behind = this.#pending.slice(reading.length);
    const target = behind === '' ? null : readTarget(behind, this.#maxTarget);
    if (target === null && !isEnd) return false;
    const length = reading.length + (target?.length ?? 0);
    const raw = this.#pending.slice(0, length);
    this.#tokens.push({
      kind: 'mark',
      raw,
      numbers: reading.numbers,
      target: target?.target ?? null,
      before: this.#before,
      after: this.#pending[length] ?? '',
    });
    this.#pass(raw);
    return true;
  }

  #stepSpan(isEnd: boolean): boolean {
    const before = this.#before.at(-1) ?? '';
    const length = this.#spans.lengthAt(this.#pending, this.#place, before, isEnd);
    return length !== null && this.#consume(length);
  }

  #consume(length: number): true {
    const text = this.#pending.slice(0, length);
    this.#put(text.slice(this.#shown));
    this.#shown = Math.max(this.#shown - length, 0);
    this.#pass(text);
    return true;
  }

  #pass(text: string): void {
    this.#pending = this.#pending.slice(text.length);
    this.#place += text.length;
    this.#before = (this.#before + text.slice(-MAX_BEFORE)).slice(-MAX_BEFORE);
  }

  /** Whatever the undecided text is, it has no citation before its first bracket; blanks may belong to that. */
  #showAhead(): void {
    const bracket = this.#pending.search(MAY_CITE);
    let end = bracket === -1 ? this.#pending.length : bracket;
    while (end > 0 && ' \t\r'.includes(this.#pending[end - 1] ?? '')) end -= 1;
    if (end <= this.#shown) return;
    this.#put(this.#pending.slice(this.#shown, end));
    this.#shown = end;
  }

  #put(text: string): void {
    if (text !== '') this.#tokens.push({ kind: 'text', text });
  }

  #take(): CitationToken[] {
    const tokens = this.#tokens;
    this.#tokens = [];
    return tokens;
  }
}
