/** Elements that begin and end on their own line. */
const BLOCK_ELEMENTS = new Set(
  (
    'address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
);
/** Elements whose content is not displayed. */
const HIDDEN_ELEMENTS = new Set(['script', 'style', 'template', 'svg', 'title']);
const DOCUMENT_START = /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b/i;
const STARTS_WITH_BLOCK =
  /^\s*<\/?(?:p|div|h[1-6]|ul|ol|table|head|body|section|article|main|pre)[\s/>]/i;
const CLOSING_BLOCK =
  /<\/(?:p|div|h[1-6]|li|ul|ol|td|th|tr|table|body|section|article|blockquote|pre)>/gi;
const MARKDOWN_SIGN = /^(?:#{1,6} \S|```|~~~)/m;
const TAG_START = /<(?:(\/?)([a-z][a-z0-9:-]*)|[!?])/iy;
const SAMPLE_LENGTH = 8192;
const MIN_CLOSING_BLOCKS = 3;

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  times: '×',
};

export interface HtmlToken {
  /** `hidden` covers comments, declarations and elements that are not displayed, including their content. */
  kind: 'text' | 'open' | 'close' | 'hidden';
  /** Element name in lower case; empty for text. */
  name: string;
  start: number;
  end: number;
}

/** Whether `text` is HTML rather than plain text or Markdown (which may contain some HTML); judged by its start. */
export function looksLikeHtml(text: string): boolean {
  const sample = text.slice(0, SAMPLE_LENGTH);
  if (DOCUMENT_START.test(sample)) return true;
  if (MARKDOWN_SIGN.test(sample)) return false;
  if (STARTS_WITH_BLOCK.test(sample)) return true;
  return (sample.match(CLOSING_BLOCK)?.length ?? 0) >= MIN_CLOSING_BLOCKS;
}

/** The HTML as displayed: without tags, with entities decoded, one line per block element. */
export function visibleText(html: string): string {
  const parts: string[] = [];
  for (const token of htmlTokens(html)) {
    if (token.kind === 'text') {
      parts.push(decodeEntities(html.slice(token.start, token.end)).replace(/\s+/g, ' '));
    } else if (BLOCK_ELEMENTS.has(token.name)) {
      parts.push('\n');
    } else if (token.name === 'td' || token.name === 'th') {
      parts.push(' ');
    }
  }
  const lines = parts.join('').split('\n');
  return lines
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Tags and the text between them, covering all of `html`. Broken markup counts as text. Runs in linear time. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  const reader = new TagReader(html);
  let textStart = 0;
  let from = 0;
  while (from < html.length) {
    const open = html.indexOf('<', from);
    if (open === -1) break;
    const tag = reader.read(open);
    if (tag === null) {
      from = open + 1;
      continue;
    }
    if (open > textStart) yield { kind: 'text', name: '', start: textStart, end: open };
    yield tag;
    textStart = tag.end;
    from = tag.end;
  }
  if (textStart < html.length) {
    yield { kind: 'text', name: '', start: textStart, end: html.length };
  }
}

class TagReader {
  readonly #html: string;
  /** Terminators that were not found: searching again from further on would fail too. */
  readonly #absent = new Set<string>();

  constructor(html: string) {
    this.#html = html;
  }

  /** The tag that begins with the `<` at `start`; null if it is text. */
  read(start: number): HtmlToken | null {
    const html = this.#html;
    if (html.startsWith('<!--', start)) {
      const end = this.#find('-->', start + 4);
      if (end !== -1) return { kind: 'hidden', name: '', start, end };
    }
    TAG_START.lastIndex = start;
    const match = TAG_START.exec(html);
    if (match === null) return null;
    const end = this.#tagEnd(start + match[0].length);
    if (end === -1) return null;
    const name = match[2]?.toLowerCase() ?? '';
    if (name === '') return { kind: 'hidden', name, start, end };
    if (match[1] === '/') return { kind: 'close', name, start, end };
    const isHidden = HIDDEN_ELEMENTS.has(name) && !html.endsWith('/>', end);
    if (!isHidden) return { kind: 'open', name, start, end };
    const hiddenEnd = this.#findClosing(name, end);
    return { kind: 'hidden', name, start, end: hiddenEnd === -1 ? end : hiddenEnd };
  }

  /** Offset after the `>` that ends a tag; a quoted `>` does not end it. */
  #tagEnd(from: number): number {
    const html = this.#html;
    let at = from;
    while (at < html.length && !this.#absent.has('quoted >')) {
      const character = html[at];
      if (character === '>') return at + 1;
      const isQuote = (character === '"' || character === "'") && html[at - 1] === '=';
      const closing = isQuote ? html.indexOf(character, at + 1) : at;
      if (closing === -1) break;
      at = closing + 1;
    }
    // A quote is never closed: ignore quoting from here on.
    this.#absent.add('quoted >');
    return this.#find('>', from);
  }

  #find(terminator: string, from: number): number {
    if (this.#absent.has(terminator)) return -1;
    const at = this.#html.indexOf(terminator, from);
    if (at === -1) this.#absent.add(terminator);
    return at === -1 ? -1 : at + terminator.length;
  }

  #findClosing(name: string, from: number): number {
    const terminator = `</${name}`;
    if (this.#absent.has(terminator)) return -1;
    const closing = new RegExp(`${terminator}\\s*>`, 'gi');
    closing.lastIndex = from;
    const found = closing.exec(this.#html);
    if (found === null) this.#absent.add(terminator);
    return found === null ? -1 : closing.lastIndex;
  }
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:[a-z]{2,6}|#\d{1,7}|#x[0-9a-f]{1,6});/gi, (entity) => {
    const name = entity.slice(1, -1);
    if (!name.startsWith('#')) return NAMED_ENTITIES[name] ?? entity;
    const code = Number(name.slice(1).replace(/^x/i, '0x'));
    const isCharacter = code > 0 && code <= 0x10ffff && (code & 0xfff800) !== 0xd800;
    return isCharacter ? String.fromCodePoint(code) : entity;
  });
}
