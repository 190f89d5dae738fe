/** A line with more structure characters than this before its first word is text. */
const MAX_HEAD = 200;
/** How far the text after a code fence is read; a backtick in it means that it is not a fence. */
const MAX_INFO = 300;
/** Text indented this far is code. */
const CODE_INDENT = 4;

const STRUCTURE = /^[ \t>*+\-_=#\d.)`~]*/;
const BLANK = /^[ \t]*\r?(?:\n|$)/;
const FENCE = /^(?:`{3,}|~{3,})/;
const UNLABELLED = /^[ \t]*\r?\n/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\r?(?:\n|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*\r?(?:\n|$)/;
const HEADING = /^#{1,6}(?=[ \t\r\n]|$)/;
const LIST_MARK = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t\r\n]|$)/;
/** A list that can interrupt a paragraph. */
const INTERRUPTING_MARK = /^(?:[-*+]|1[.)])[ \t]+[^\s]/;

/** The beginning of a Markdown line. */
export interface LineHead {
  /** Number of structure characters: quote marks, list marks, a fence. */
  length: number;
  /** What the rest of the line is: words, or verbatim content. */
  rest: 'words' | 'verbatim';
  /** A fence of backticks that names no language starts here. */
  isUnlabelledFence: boolean;
}

/** The block that contains a line: a quote, or a list item whose text begins at a column. */
type Container = { kind: 'quote' } | { kind: 'item'; column: number };

interface State {
  containers: Container[];
  /** The fence of the code block that the line may be in; null outside one. */
  fence: string | null;
  isParagraph: boolean;
  /** A list item began on the previous line and is still empty. */
  isItemEmpty: boolean;
}

/**
 * Tracks the blocks of a Markdown document line by line, just enough to know which lines are code: fences of backticks
 * and tildes, and indented lines (CommonMark 0.31, chapters 4 and 5, and the strategy of its appendix).
 */
export class MarkdownLines {
  #state: State = { containers: [], fence: null, isParagraph: false, isItemEmpty: false };

  /** Reads the beginning of the line that `text` starts with; null when more text is needed to decide. */
  readHead(text: string, isEnd: boolean): LineHead | null {
    const structure = STRUCTURE.exec(text)?.[0].length ?? 0;
    const isLong = structure >= MAX_HEAD;
    if (structure === text.length && !isEnd && !isLong) return null;
    // Works on a copy: an undecided line is read again.
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
  // A word may still follow the blanks after the fence, which would make the line code.
  if (!line.isEnd && /^[ \t]*\r?$/.test(behind) && behind.length < MAX_INFO) return null;
  if (!BLANK.test(behind.slice(0, MAX_INFO))) return verbatim(line.index);
  state.fence = null;
  return verbatim(line.wordsAt + run.length);
}

/** Opens the blocks that begin on the line: each iteration enters a quote or an item. */
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

/** The text after a fence of backticks; `none` when it is not a fence, null when undecided. */
function readInfo(text: string, isEnd: boolean): 'labelled' | 'unlabelled' | 'none' | null {
  const info = text.slice(0, MAX_INFO);
  const end = /[\n`]/.exec(info)?.[0];
  if (end === '`') return 'none';
  if (end === undefined && !isEnd && text.length < MAX_INFO) return null;
  return UNLABELLED.test(info) ? 'unlabelled' : 'labelled';
}

/** A position in a line; a tab counts up to the next multiple of four columns. */
class LineReader {
  readonly isEnd: boolean;
  readonly #text: string;
  /** After the marks of the containers. */
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

  /** Continues an open container; false when the line is not in it. */
  enter(container: Container): boolean {
    if (container.kind === 'quote') return this.#enterQuote();
    if (BLANK.test(this.rest)) return true;
    if (this.#column + this.indent < container.column) return false;
    // A tab may extend beyond the column; the excess is indentation.
    while (this.#column < container.column && this.index < this.wordsAt) this.#pass(1);
    this.#column = Math.min(this.#column, container.column);
    return true;
  }

  /** Whether something other than a paragraph begins here. */
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
    // One column of a tab belongs to the mark.
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
