import { type Block, HeadingPath, headingStrength, type Span, STRENGTH } from './block.ts';
import { type HtmlToken, htmlTokens, visibleText } from './html-text.ts';

const PARAGRAPH_ELEMENTS = new Set(
  (
    'address article aside blockquote body caption center details div dl fieldset figure footer form header hr html ' +
    'main nav ol p pre section summary table tbody tfoot thead ul'
  ).split(' '),
);
const ROW_ELEMENTS = new Set(['li', 'tr', 'dt', 'dd', 'figcaption']);
const HEADING = /^h([1-6])$/;

/** `html` with every tag replaced by spaces, so that only text is left and offsets stay the same. */
export function maskTags(html: string): string {
  const parts: string[] = [];
  for (const { kind, name, start, end } of htmlTokens(html)) {
    if (kind === 'text') parts.push(html.slice(start, end));
    else if (name === 'br') parts.push('\n'.padEnd(end - start));
    else parts.push(' '.repeat(end - start));
  }
  return parts.join('');
}

/** Blocks of HTML: headings, paragraphs, list items and table rows (or cells, if these contain paragraphs). */
export function* splitHtml(html: string): Generator<Block> {
  const splitter = new HtmlSplitter(html);
  for (const token of htmlTokens(html)) {
    if (token.kind === 'text') {
      splitter.takeText(token);
    } else {
      const closed = splitter.takeTag(token);
      if (closed !== null) yield closed;
    }
  }
  const last = splitter.close();
  if (last !== null) yield last;
}

class HtmlSplitter {
  readonly #html: string;
  readonly #path = new HeadingPath();
  /** The text span of the block being read. */
  #open: Span | null = null;
  #strength = STRENGTH.paragraph;
  #headingLevel: number | null = null;
  #afterHeading = false;
  #tableHeader: Span | null = null;
  #row: { span: Span | null; hasHeaderCell: boolean; hasDataCell: boolean } | null = null;

  constructor(html: string) {
    this.#html = html;
  }

  takeText({ start, end }: Span): void {
    const raw = this.#html.slice(start, end);
    const text = raw.trim();
    if (text === '') return;
    const from = start + raw.length - raw.trimStart().length;
    const to = from + text.length;
    this.#open = { start: this.#open?.start ?? from, end: to };
    if (this.#row !== null) this.#row.span = { start: this.#row.span?.start ?? from, end: to };
  }

  /** Takes a tag and returns the block that it ends, if any. */
  takeTag({ kind, name }: HtmlToken): Block | null {
    if (kind === 'hidden') return null;
    const heading = HEADING.exec(name)?.[1];
    const strength = this.#strengthOf(name, heading);
    if (strength === null) {
      this.#noteCell(name);
      return null;
    }
    const closed = this.close();
    this.#strength = Math.max(this.#strength, strength);
    if (heading !== undefined) this.#headingLevel = kind === 'open' ? Number(heading) : null;
    if (name === 'tr' || name === 'table') this.#endRow(kind, name);
    return closed;
  }

  close(): Block | null {
    const open = this.#open;
    if (open === null) return null;
    const level = this.#headingLevel;
    const headings =
      level === null
        ? this.#path.texts
        : this.#path.enter(level, visibleText(this.#html.slice(open.start, open.end)));
    const block: Block = {
      ...open,
      // A block that follows a heading stays with it, unless it is a heading too.
      strength: this.#afterHeading && level === null ? STRENGTH.none : this.#strength,
      headings,
      tableHeader: this.#row === null ? null : this.#tableHeader,
    };
    this.#open = null;
    this.#strength = STRENGTH.none;
    this.#afterHeading = level !== null;
    return block;
  }

  /** How suitable the position after this tag is as the start of a chunk; null for an inline tag. */
  #strengthOf(name: string, heading: string | undefined): number | null {
    if (heading !== undefined) return headingStrength(Number(heading));
    if (ROW_ELEMENTS.has(name)) return STRENGTH.row;
    if (!PARAGRAPH_ELEMENTS.has(name)) return null;
    // Paragraphs inside a cell belong together more closely than two rows do.
    return this.#row === null || name === 'table' ? STRENGTH.paragraph : STRENGTH.sentence;
  }

  #noteCell(name: string): void {
    if (this.#row === null) return;
    if (name === 'th') this.#row.hasHeaderCell = true;
    if (name === 'td') this.#row.hasDataCell = true;
  }

  #endRow(kind: HtmlToken['kind'], name: string): void {
    const row = this.#row;
    const isHeader = row !== null && row.hasHeaderCell && !row.hasDataCell;
    if (name === 'table') this.#tableHeader = null;
    else if (isHeader && this.#tableHeader === null) this.#tableHeader = row.span;
    const begins = kind === 'open' && name === 'tr';
    this.#row = begins ? { span: null, hasHeaderCell: false, hasDataCell: false } : null;
  }
}
