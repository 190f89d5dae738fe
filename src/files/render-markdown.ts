import { altText } from './alt-text.ts';
import { contactOfLink } from './contact-of-link.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement, rawText } from './html-tree.ts';
import { codeSpan, renderCode } from './render-code.ts';
import { isLayoutTable, renderLayout, renderTable, type TableOptions } from './render-table.ts';

export interface MarkdownOptions {
  /** Selects elements that are not content. */
  isLeftOut: (element: HtmlElement) => boolean;
  /** Whether links keep their addresses or become plain text. */
  keepsLinks: boolean;
}

/** Finished blocks and the line of text being written. */
interface Flow {
  blocks: string[];
  line: string;
  /**
   * Whether the line ends inside a word. Tracked here, because inspecting a line under construction copies all of it.
   */
  endsInWord: boolean;
}

/** Deeper than any real page; anything below is rendered as plain text. */
const MAX_DEPTH = 250;
const NEVER_SHOWN = new Set(['script', 'style', 'noscript', 'template', 'title', 'head']);
const BLOCKS = new Set(
  'address article aside body blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset header hgroup html li main menu nav noframes ol optgroup option p section summary table tbody td tfoot th thead tr ul caption search legend'.split(
    ' ',
  ),
);
const MARKS: Record<string, string> = {
  b: '**',
  strong: '**',
  i: '_',
  em: '_',
  del: '~~',
  s: '~~',
  strike: '~~',
};
const CODE = new Set(['code', 'tt', 'samp']);
/** Soft hyphens and other characters that only browsers need; they would split words. */
const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF]/g;
const SPACES = /[ \t\r\n\f]+/g;

/**
 * HTML as Markdown: ATX headings, fenced code with its language, pipe tables, definition lists; pictures become their
 * alt texts. Markdown special characters are not escaped, because the text is for search and reading.
 */
export function renderMarkdown(nodes: readonly HtmlNode[], options: MarkdownOptions): string {
  return blocksOf(nodes, options, 0).join('\n\n');
}

/** The blocks of the nodes, each of one or more lines. */
function blocksOf(nodes: readonly HtmlNode[], options: MarkdownOptions, depth: number): string[] {
  const flow = flowOf(nodes, options, depth);
  endLine(flow);
  return flow.blocks;
}

function flowOf(nodes: readonly HtmlNode[], options: MarkdownOptions, depth: number): Flow {
  const flow: Flow = { blocks: [], line: '', endsInWord: false };
  for (const node of nodes) {
    if (node.type === 'text') write(flow, tidyText(node.data));
    else if (!isElement(node)) continue;
    else if (depth > MAX_DEPTH) write(flow, tidyText(rawText(node, options.isLeftOut)));
    else addElement(flow, node, options, depth + 1);
  }
  return flow;
}

function write(flow: Flow, text: string): void {
  if (text === '') return;
  flow.line += text;
  flow.endsInWord = /\w/.test(text.slice(-1));
}

function tidyText(text: string): string {
  return text.replace(INVISIBLE, '').replace(SPACES, ' ');
}

function endLine(flow: Flow): void {
  const text = flow.line
    // Collapse runs first: the next pattern takes quadratic time in their length.
    .replace(/ {2,}/g, ' ')
    .replace(/ *\n */g, '\n')
    .trim()
    // One newline ends a line, two end a paragraph.
    .replace(/\n+/g, (ends) => (ends.length === 1 ? '  \n' : '\n\n'));
  flow.line = '';
  flow.endsInWord = false;
  // Escape text that would become a heading or open a code block.
  if (text !== '') flow.blocks.push(/^(?:#{1,6} |```|~~~)/.test(text) ? `\\${text}` : text);
}

function addBlock(flow: Flow, block: string): void {
  endLine(flow);
  if (block.trim() !== '') flow.blocks.push(block);
}

function addElement(flow: Flow, element: HtmlElement, options: MarkdownOptions, depth: number) {
  const { name } = element;
  if (NEVER_SHOWN.has(name) || options.isLeftOut(element)) return;
  const block = blockOf(element, options, depth);
  if (block !== null) {
    addBlock(flow, block);
    return;
  }
  if (BLOCKS.has(name)) {
    endLine(flow);
    if (name === 'table') {
      flow.blocks.push(...renderLayout(element, tableOptions(options, depth)));
    } else flow.blocks.push(...blocksOf(element.children, options, depth));
    return;
  }
  addInline(flow, element, options, depth);
}

/** Null for elements that do not form a block of their own. */
function blockOf(element: HtmlElement, options: MarkdownOptions, depth: number): string | null {
  const { name, children } = element;
  switch (name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6': {
      const words = blocksOf(children, options, depth).join(' ').replace(/\s+/g, ' ');
      return words === '' ? '' : `${'#'.repeat(Number(name.slice(1)))} ${words}`;
    }
    case 'hr':
      return '---';
    case 'pre':
    case 'listing':
    case 'xmp':
      return renderCode(element, options.isLeftOut);
    case 'blockquote':
      return prefixed(blocksOf(children, options, depth).join('\n\n'));
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      return listOf(element, options, depth);
    case 'li':
      return itemOf('- ', blocksOf(children, options, depth));
    case 'dl':
      return definitionsOf(element, options, depth).join('\n');
    case 'table':
      return isLayoutTable(element, options)
        ? null
        : renderTable(element, tableOptions(options, depth));
    default:
      return null;
  }
}

function tableOptions(options: MarkdownOptions, depth: number): TableOptions {
  return {
    isLeftOut: options.isLeftOut,
    blocksOf: ({ children }) => blocksOf(children, options, depth),
  };
}

function addInline(flow: Flow, element: HtmlElement, options: MarkdownOptions, depth: number) {
  const { name, attribs } = element;
  if (name === 'br') write(flow, '\n');
  else if (name === 'img') write(flow, tidyText(altText(element)));
  else if (name === 'input') write(flow, checkbox(attribs));
  else if (name === 'math') write(flow, formulaOf(element));
  else if (CODE.has(name)) write(flow, codeSpan(rawText(element, options.isLeftOut)));
  else {
    const inner = flowOf(element.children, options, depth);
    // Marks around blocks have no effect.
    if (inner.blocks.length === 0)
      write(flow, marked(element, inner.line, options, flow.endsInWord));
    else {
      const [first = '', ...others] = inner.blocks;
      write(flow, first);
      endLine(flow);
      flow.blocks.push(...others);
      flow.line = inner.line;
      flow.endsInWord = inner.endsInWord;
    }
  }
}

function marked(
  { name, attribs }: HtmlElement,
  text: string,
  { keepsLinks }: MarkdownOptions,
  isInWord: boolean,
): string {
  const words = text.trim();
  if (words === '') return text;
  const start = text.slice(0, text.length - text.trimStart().length);
  const end = text.slice(text.trimEnd().length);
  const mark = MARKS[name];
  if (mark !== undefined) return start + mark + words + mark + end;
  if (name === 'q') return `${start}"${words}"${end}`;
  // Without the caret, 10⁶ would become 106.
  if (name === 'sup' && /^[-+−]?\d+$/.test(words) && isInWord) return `^${words}${end}`;
  const href = attribs['href'];
  if (name === 'a' && keepsLinks && href && /^(?:https?:|mailto:|\/)/i.test(href.trim())) {
    return `${start}[${words}](${href.trim().replaceAll(' ', '%20')})${end}`;
  }
  if (name === 'a' && href) return start + words + contactOfLink(href, words) + end;
  // Most custom elements are boxes.
  return name.includes('-') ? ` ${text} ` : text;
}

function listOf(list: HtmlElement, options: MarkdownOptions, depth: number): string {
  const items: string[] = [];
  let number = Number.parseInt(list.attribs['start'] ?? '1', 10) || 1;
  let loose: HtmlNode[] = [];
  const addLoose = (): void => {
    // A list between the items instead of inside one.
    const blocks = blocksOf(loose, options, depth);
    if (blocks.length > 0) items.push(indented(blocks.join('\n\n'), '  '));
    loose = [];
  };
  for (const child of list.children) {
    if (!isElement(child) || child.name !== 'li') {
      loose.push(child);
      continue;
    }
    addLoose();
    if (options.isLeftOut(child)) continue;
    const marker = list.name === 'ol' ? `${number}. ` : '- ';
    number += 1;
    const item = itemOf(marker, blocksOf(child.children, options, depth));
    if (item !== '') items.push(item);
  }
  addLoose();
  return items.join('\n');
}

function itemOf(marker: string, blocks: readonly string[]): string {
  const [first, ...others] = blocks;
  if (first === undefined) return '';
  const indent = ' '.repeat(marker.length);
  const rest = others.map((block) => {
    const isList = /^(?:[-*]|\d+\.) /.test(block);
    return `${isList ? '\n' : '\n\n'}${indented(block, indent)}`;
  });
  return marker + indented(first, indent).slice(indent.length) + rest.join('');
}

/** Terms and their definitions. */
function definitionsOf(list: HtmlElement, options: MarkdownOptions, depth: number): string[] {
  const lines: string[] = [];
  for (const child of ungrouped(list)) {
    const blocks = blocksOf(isElement(child) ? child.children : [child], options, depth);
    if (blocks.length === 0 || (isElement(child) && options.isLeftOut(child))) continue;
    if (isElement(child) && child.name === 'dd') lines.push(itemOf(': ', blocks));
    else lines.push((lines.length > 0 ? '\n' : '') + blocks.join(' '));
  }
  return lines;
}

/** A `div` may group terms (HTML Living Standard §4.4.9). */
function ungrouped({ children }: HtmlElement): HtmlNode[] {
  return children.flatMap((child) =>
    isElement(child) && child.name === 'div' ? child.children : [child],
  );
}

function prefixed(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ');
}

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

function checkbox(attribs: Record<string, string>): string {
  if (attribs['type']?.toLowerCase() !== 'checkbox') return '';
  return 'checked' in attribs ? '[x] ' : '[ ] ';
}

/** MathML is most readable as the TeX it was generated from. */
function formulaOf(math: HtmlElement): string {
  const open: HtmlNode[] = [math];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node) && /tex/i.test(node.attribs['encoding'] ?? '')) {
      return `$${rawText(node).trim()}$`;
    }
    for (const child of childrenOf(node)) open.push(child);
  }
  return tidyText(rawText(math));
}
