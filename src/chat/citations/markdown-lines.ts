/** A line that is longer than this before its first word is text. */
const MAX_HEAD = 200;
/** What stands behind a code fence is read so far; a backtick in it makes it no fence. */
const MAX_INFO = 300;
/** Text that stands this much to the right is code. */
const CODE_INDENT = 4;

const STRUCTURE = /^[ \t>*+\-_=#\d.)`~]*/;
const BLANK = /^[ \t]*\r?(?:\n|$)/;
const FENCE = /^(?:`{3,}|~{3,})/;
const UNLABELLED = /^[ \t]*\r?\n/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\r?(?:\n|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*\r?(?:\n|$)/;
const HEADING = /^#{1,6}(?=[ \t\r\n]|$)/;
const LIST_MARK = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t\r\n]|$)/;
/** A list that may begin in the middle of a paragraph. */
const INTERRUPTING_MARK = /^(?:[-*+]|1[.)])[ \t]+[^\s]/;

/** How a line of Markdown begins. */
export interface LineHead {
  /** Characters that belong to the structure of the document: quote marks, list marks, a fence. */
  length: number;
  /** What the rest of the line is: words, or what is shown as it is. */
  rest: 'words' | 'verbatim';
  /** A fence of backticks that says no language begins here. */
  isUnlabelledFence: boolean;
}

/** What lines stand in: a quote, or the item of a list whose text begins at a column. */
type Container = { kind: 'quote' } | { kind: 'item'; column: number };

interface State {
  containers: Container[];
  /** What opened the code block that the line may be in; null outside of one. */
  fence: string | null;
  isParagraph: boolean;
  /** An item has begun on the line before, and has nothing yet. */
  isItemEmpty: boolean;
}

/**
 * Follows the blocks of a Markdown document line by line, as far as it takes to know which lines are code (CommonMark
 * 0.31, chapters 4 and 5, and the strategy of its appendix): fences of backticks and tildes, and indented lines.
 */
export class MarkdownLines {
  #state: State = { containers: [], fence: null, isParagraph: false, isItemEmpty: false };

  /** Reads the head of the line that `text` begins with; null when more of it must be there to tell. */
  readHead(text: string, isEnd: boolean): LineHead | null {
    const structure = STRUCTURE.exec(text)?.[0].length ?? 0;
    const isLong = structure >= MAX_HEAD;
    if (structure === text.length && !isEnd && !isLong) return null;
    // Changed on a copy: a line that cannot be told yet is read again.
    const state = { ...this.#state, containers: [...this.#state.containers] };
    const line = new LineReader(text, isEnd);
    const head = isLong ? words(state, 0) : readLine(line, state);
    if (head !== null) this.#state = state;
    return head;
  }
}

function readLine(line: LineReader, state: State): LineHead | null {
  const { containers, isItemEmpty } = state;
  state.isItemEmpty = false;
  const kept = containers.findIndex((container) => !line.enter(container));
  if (state.fence !== null && kept === -1) return readInFence(line, state, state.fence);
  if (kept === -1 && isItemEmpty && BLANK.test(line.rest)) containers.pop();
  if (kept !== -1) {
    const isLazy = state.isParagraph && state.fence === null && !line.startsBlock();
    if (isLazy) return words(state, line.wordsAt);
    containers.length = kept;
    state.isParagraph = false;
    state.fence = null;
  }
  return readBlocks(line, state);
}

function readInFence(line: LineReader, state: State, fence: string): LineHead | null {
  const run = FENCE.exec(line.rest)?.[0];
  if (run === undefined || !run.startsWith(fence) || line.indent >= CODE_INDENT)
    return verbatim(line.index);
  const behind = line.rest.slice(run.length);
  // Blanks behind the fence may be followed by a word, which makes it code.
  if (!line.isEnd && /^[ \t]*\r?$/.test(behind) && behind.length < MAX_INFO) return null;
  if (!BLANK.test(behind.slice(0, MAX_INFO))) return verbatim(line.index);
  state.fence = null;
  return verbatim(line.wordsAt + run.length);
}

/** Opens what begins on the line: each turn enters a quote or an item. */
function readBlocks(line: LineReader, state: State): LineHead | null {
  const entered = state.containers.length;
  for (;;) {
    const { rest } = line;
    if (BLANK.test(rest)) {
      state.isItemEmpty = state.containers.length > entered;
      state.isParagraph = false;
      return verbatim(line.index);
    }
    if (line.indent >= CODE_INDENT)
      return state.isParagraph ? words(state, line.wordsAt) : verbatim(line.index);
    if (FENCE.test(rest)) return readFence(line, state);
    const isHeading = RULE.test(rest) || HEADING.test(rest);
    if (isHeading || (state.isParagraph && UNDERLINE.test(rest))) {
      const head = words(state, line.wordsAt);
      state.isParagraph = false;
      return head;
    }
    const container = line.open(state.isParagraph);
    if (container === null) return words(state, line.wordsAt);
    state.containers.push(container);
    state.isParagraph = false;
  }
}

function readFence(line: LineReader, state: State): LineHead | null {
  const run = FENCE.exec(line.rest)?.[0] ?? '';
  const info = run.startsWith('`') ? readInfo(line.rest.slice(run.length), line.isEnd) : 'labelled';
  if (info === null) return null;
  if (info === 'none') return words(state, line.wordsAt);
  state.isParagraph = false;
  state.fence = run;
  return { ...verbatim(line.wordsAt + run.length), isUnlabelledFence: info === 'unlabelled' };
}

/** What stands behind a fence of backticks; `none` when it is none, null when that cannot be told yet. */
function readInfo(text: string, isEnd: boolean): 'labelled' | 'unlabelled' | 'none' | null {
  const info = text.slice(0, MAX_INFO);
  const end = /[\n`]/.exec(info)?.[0];
  if (end === '`') return 'none';
  if (end === undefined && !isEnd && text.length < MAX_INFO) return null;
  return UNLABELLED.test(info) ? 'unlabelled' : 'labelled';
}

/** Where a line is read; columns count a tab up to the next of every four. */
class LineReader {
  readonly isEnd: boolean;
  readonly #text: string;
  /** Behind the marks of the containers. */
  index = 0;
  #column = 0;

  constructor(text: string, isEnd: boolean) {
    this.#text = text;
    this.isEnd = isEnd;
  }

  /** Where the blanks end. */
  get wordsAt(): number {
    let at = this.index;
    while (this.#text[at] === ' ' || this.#text[at] === '\t') at += 1;
    return at;
  }

  /** Columns of blanks. */
  get indent(): number {
    return this.#columnAt(this.wordsAt) - this.#column;
  }

  get rest(): string {
    return this.#text.slice(this.wordsAt);
  }

  /** Goes on into a container that is open; false when the line is not in it. */
  enter(container: Container): boolean {
    if (container.kind === 'quote') return this.#enterQuote();
    if (BLANK.test(this.rest)) return true;
    if (this.#column + this.indent < container.column) return false;
    // A tab may reach beyond the column; what it has more is then indentation.
    while (this.#column < container.column && this.index < this.wordsAt) this.#pass(1);
    this.#column = Math.min(this.#column, container.column);
    return true;
  }

  /** Whether something else than a paragraph begins here. */
  startsBlock(): boolean {
    const { rest } = this;
    if (BLANK.test(rest)) return true;
    if (this.indent >= CODE_INDENT) return false;
    return (
      rest.startsWith('>') ||
      FENCE.test(rest) ||
      RULE.test(rest) ||
      HEADING.test(rest) ||
      LIST_MARK.test(rest)
    );
  }

  /** Enters the quote or the item that begins here; null when none does. */
  open(isParagraph: boolean): Container | null {
    const { rest } = this;
    if (this.#enterQuote()) return { kind: 'quote' };
    const mark = LIST_MARK.exec(rest)?.[0];
    if (mark === undefined || (isParagraph && !INTERRUPTING_MARK.test(rest))) return null;
    this.#pass(this.wordsAt - this.index + mark.length);
    const isFar = this.indent > CODE_INDENT || BLANK.test(this.rest);
    const column = this.#column + (isFar ? 1 : this.indent);
    if (!BLANK.test(this.rest)) this.enter({ kind: 'item', column });
    return { kind: 'item', column };
  }

  #enterQuote(): boolean {
    if (this.indent >= CODE_INDENT || !this.rest.startsWith('>')) return false;
    this.#pass(this.wordsAt - this.index + 1);
    const next = this.#text[this.index];
    if (next === ' ') this.#pass(1);
    // Of a tab one column belongs to the mark.
    else if (next === '\t') this.#column += 1;
    return true;
  }

  #pass(characters: number): void {
    this.#column = this.#columnAt(this.index + characters);
    this.index += characters;
  }

  #columnAt(end: number): number {
    let column = this.#column;
    for (let at = this.index; at < end; at += 1)
      column += this.#text[at] === '\t' ? 4 - (column % 4) : 1;
    return column;
  }
}

function words(state: State, length: number): LineHead {
  state.isParagraph = true;
  return { length, rest: 'words', isUnlabelledFence: false };
}

function verbatim(length: number): LineHead {
  return { length, rest: 'verbatim', isUnlabelledFence: false };
}
