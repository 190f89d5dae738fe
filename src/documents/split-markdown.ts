import { type Block, HeadingPath, headingStrength, type Span, STRENGTH } from './block.ts';

const ATX_HEADING = /^(#{1,6})(?:[ \t]|$)/;
const SETEXT_UNDERLINE = /^(?:=+|-{2,})$/;
const FENCE = /^(?:`{3,}|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
const THEMATIC_BREAK = /^[-*_ \t]{3,}$/;
const TABLE_DELIMITER = /^[|:\- \t]+$/;
const FRONT_MATTER_END = /\n---[ \t]*\r?\n/;
const FRONT_MATTER_WINDOW = 4096;

interface Line extends Span {
  body: string;
  isIndented: boolean;
}

interface OpenBlock extends Block {
  kind: 'heading' | 'paragraph' | 'item' | 'row' | 'code';
  lineCount: number;
}

/** Blocks of Markdown or plain text: headings, paragraphs, list items, table rows and lines of code. */
export function* splitMarkdown(text: string): Generator<Block> {
  const splitter = new MarkdownSplitter(text);
  for (const line of linesOf(text)) {
    const closed = splitter.take(line);
    if (closed !== null) yield closed;
  }
  const last = splitter.close();
  if (last !== null) yield last;
}

/** Reads line by line and holds the one block that may still grow. */
class MarkdownSplitter {
  readonly #text: string;
  readonly #path = new HeadingPath();
  #open: OpenBlock | null = null;
  #afterBlank = true;
  /** The fence that ends the code block being read. */
  #fence: string | null = null;
  #tableHeader: Span | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes the next line and returns the block that it ends, if any. */
  take(line: Line): Block | null {
    if (line.body === '') {
      this.#afterBlank = true;
      if (this.#fence === null) this.#tableHeader = null;
      return null;
    }
    if (this.#fence !== null) return this.#takeCode(line, this.#fence);
    const turned = this.#turnsParagraph(line);
    if (turned) return null;
    return this.#takeBlock(line);
  }

  close(): Block | null {
    return this.#open;
  }

  #takeCode(line: Line, fence: string): Block | null {
    const isEnd =
      line.body.startsWith(fence) && line.body === fence.charAt(0).repeat(line.body.length);
    const isFirst = this.#open?.kind === 'code' && this.#open.lineCount === 1;
    if (isEnd) this.#fence = null;
    if (isEnd || isFirst) return this.#extend(line);
    const isTopLevel = this.#afterBlank && !line.isIndented;
    return this.#begin(line, 'code', isTopLevel ? STRENGTH.row : STRENGTH.line);
  }

  /** Handles a line that turns the single line above it into a heading or a table's header row. */
  #turnsParagraph(line: Line): boolean {
    const open = this.#open;
    if (open?.kind !== 'paragraph' || open.lineCount !== 1 || this.#afterBlank) return false;
    const above = this.#text.slice(open.start, open.end);
    if (SETEXT_UNDERLINE.test(line.body)) {
      const level = line.body.startsWith('=') ? 1 : 2;
      open.kind = 'heading';
      open.strength = headingStrength(level);
      open.headings = this.#path.enter(level, above);
    } else if (isTableDelimiter(line.body) && above.includes('|')) {
      open.kind = 'row';
      this.#tableHeader = { start: open.start, end: open.end };
    } else {
      return false;
    }
    this.#extend(line);
    return true;
  }

  #takeBlock(line: Line): Block | null {
    const { body } = line;
    const atx = ATX_HEADING.exec(body)?.[1];
    if (atx !== undefined) {
      this.#tableHeader = null;
      const headings = this.#path.enter(atx.length, headingText(body, atx.length));
      return this.#begin(line, 'heading', headingStrength(atx.length), headings);
    }
    const fence = this.#fenceOf(line);
    if (fence !== null) {
      this.#fence = fence;
      return this.#begin(line, 'code', this.#gap(STRENGTH.row));
    }
    if (this.#tableHeader !== null && body.includes('|')) {
      return this.#begin(line, 'row', STRENGTH.row, this.#path.texts, this.#tableHeader);
    }
    this.#tableHeader = null;
    if (THEMATIC_BREAK.test(body)) return this.#begin(line, 'row', this.#gap(STRENGTH.row));
    if (LIST_ITEM.test(body)) return this.#begin(line, 'item', this.#gap(STRENGTH.row));
    const grows = this.#open?.kind === 'paragraph' || this.#open?.kind === 'item';
    if (grows && !this.#afterBlank) return this.#extend(line);
    return this.#begin(line, 'paragraph', this.#gap(STRENGTH.row));
  }

  #fenceOf(line: Line): string | null {
    const isFirstLine = this.#open === null && line.start === 0;
    if (isFirstLine && line.body === '---') {
      const head = this.#text.slice(3, FRONT_MATTER_WINDOW);
      return FRONT_MATTER_END.test(head) ? '---' : null;
    }
    const fence = FENCE.exec(line.body)?.[0];
    if (fence === undefined) return null;
    // ```code``` on one line is inline code.
    const isInline = fence.startsWith('`') && line.body.includes('`', fence.length);
    return isInline ? null : fence;
  }

  #gap(strengthWithout: number): number {
    return this.#afterBlank ? STRENGTH.paragraph : strengthWithout;
  }

  #begin(
    line: Line,
    kind: OpenBlock['kind'],
    strength: number,
    headings: readonly string[] = this.#path.texts,
    tableHeader: Span | null = null,
  ): Block | null {
    const closed = this.#open;
    // A block that follows a heading stays with it, unless it is a heading too.
    const isCaptioned = closed?.kind === 'heading' && kind !== 'heading';
    this.#open = {
      start: line.start,
      end: line.end,
      strength: isCaptioned ? STRENGTH.none : strength,
      headings,
      tableHeader,
      kind,
      lineCount: 1,
    };
    this.#afterBlank = false;
    return closed;
  }

  #extend(line: Line): null {
    if (this.#open !== null) {
      this.#open.end = line.end;
      this.#open.lineCount += 1;
    }
    this.#afterBlank = false;
    return null;
  }
}

function headingText(body: string, level: number): string {
  // Cut first, which bounds the cost of the expression.
  return body.slice(level, 1000).replace(/\s#+\s*$/, '');
}

function isTableDelimiter(body: string): boolean {
  return TABLE_DELIMITER.test(body) && body.includes('|') && body.includes('-');
}

/** Lines without surrounding white space. A form feed (the end of a page in extracted text) also ends a line. */
function* linesOf(text: string): Generator<Line> {
  const breaks = /\r?\n|\r|\f/g;
  let lineStart = 0;
  while (lineStart <= text.length) {
    const found = breaks.exec(text);
    const lineEnd = found?.index ?? text.length;
    const raw = text.slice(lineStart, lineEnd);
    const body = raw.trim();
    const start = lineStart + raw.length - raw.trimStart().length;
    yield { start, end: start + body.length, body, isIndented: start > lineStart };
    if (found?.[0] === '\f') yield { start: lineEnd, end: lineEnd, body: '', isIndented: false };
    if (found === null) return;
    lineStart = breaks.lastIndex;
  }
}
