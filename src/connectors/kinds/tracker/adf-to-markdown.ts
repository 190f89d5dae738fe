import { z } from 'zod';
import { pipeTable } from '#src/files/pipe-table.ts';
import { markedText, type AdfMark } from './adf-marks.ts';

interface AdfNode {
  type: string;
  text: string;
  attrs: Record<string, unknown>;
  marks: AdfMark[];
  content: unknown[];
}

/** Lenient on purpose: editors and apps write nodes that no schema lists. */
const NODE = z.object({
  type: z.string(),
  text: z.string().nullish(),
  attrs: z.record(z.string(), z.unknown()).nullish(),
  marks: z
    .array(
      z.object({
        type: z.string(),
        attrs: z.record(z.string(), z.unknown()).nullish().catch(null),
      }),
    )
    .nullish()
    .catch(null),
  content: z.array(z.unknown()).nullish(),
});

/** Deeper than any editor nests; anything below is left out. */
const MAX_DEPTH = 60;

/**
 * Turns the Atlassian Document Format, in which Jira Cloud stores descriptions and comments, into Markdown. Unknown
 * nodes keep their text.
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 * @throws Error when it is not an ADF document
 */
export function adfToMarkdown(document: unknown): string {
  const node = readNode(document);
  if (node?.type !== 'doc')
    throw new Error('The text is not an Atlassian Document Format document.');
  return blocks(node, 0);
}

function readNode(value: unknown): AdfNode | null {
  const { data } = NODE.safeParse(value);
  if (!data) return null;
  return {
    type: data.type,
    text: data.text ?? '',
    attrs: data.attrs ?? {},
    marks: (data.marks ?? []).map(({ type, attrs }) => ({ type, attrs: attrs ?? {} })),
    content: data.content ?? [],
  };
}

function childrenOf(node: AdfNode): AdfNode[] {
  return node.content.map(readNode).filter((child) => child !== null);
}

const INLINE = new Set([
  'text',
  'hardBreak',
  'mention',
  'emoji',
  'inlineCard',
  'date',
  'status',
  'mediaInline',
  'inlineExtension',
  'placeholder',
]);

/** The blocks inside a node, separated by blank lines; consecutive inline nodes form one paragraph. */
function blocks(node: AdfNode, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  const parts: string[] = [];
  let line: string | null = null;
  for (const child of childrenOf(node)) {
    if (INLINE.has(child.type)) {
      line = (line ?? '') + inline(child);
      continue;
    }
    if (line !== null) parts.push(line);
    line = null;
    parts.push(block(child, depth + 1));
  }
  if (line !== null) parts.push(line);
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

function block(node: AdfNode, depth: number): string {
  switch (node.type) {
    case 'paragraph':
    case 'caption':
      return inlines(node).trim();
    case 'heading':
      return `${'#'.repeat(headingLevel(node))} ${oneLine(inlines(node))}`;
    case 'bulletList':
      return list(node, () => '- ', depth);
    case 'orderedList': {
      const start = numberOf(node.attrs['order']) ?? 1;
      return list(node, (index) => `${start + index}. `, depth);
    }
    case 'taskList':
    case 'decisionList':
      return list(node, (_, item) => taskMarker(item), depth);
    case 'codeBlock':
      return fenced(inlines(node), wordOf(node.attrs['language']));
    case 'blockquote':
      return prefixed(blocks(node, depth), '> ');
    case 'panel':
      return prefixed(blocks(node, depth), '> ');
    case 'rule':
      return '---';
    case 'table':
      return table(node, depth);
    case 'expand':
    case 'nestedExpand':
      return titled(wordOf(node.attrs['title']), blocks(node, depth));
    case 'media':
      return wordOf(node.attrs['alt']);
    case 'blockCard':
    case 'embedCard':
      return card(node);
    case 'extension':
      return wordOf(node.attrs['text']);
    default:
      // Layouts, media groups, extensions with a body, and any future node.
      return node.text || blocks(node, depth);
  }
}

function list(
  node: AdfNode,
  marker: (index: number, item: AdfNode) => string,
  depth: number,
): string {
  let index = 0;
  const lines: string[] = [];
  for (const item of childrenOf(node)) {
    // In ADF, a nested list is a sibling of the items, not a child of one.
    const isNested = item.type === 'taskList' || item.type.endsWith('List');
    const text = isNested ? block(item, depth + 1) : blocks(item, depth + 1);
    if (text === '') continue;
    const first = isNested ? '  ' : marker(index, item);
    const [head = '', ...rest] = text.split('\n');
    const indent = ' '.repeat(first.length);
    // Blank lines between the parts of an item would break up the list.
    const more = rest.filter((line) => line !== '').map((line) => indent + line);
    lines.push([first + head, ...more].join('\n'));
    if (!isNested) index += 1;
  }
  return lines.join('\n');
}

function taskMarker(item: AdfNode): string {
  if (item.type === 'decisionItem') return '- ';
  return item.attrs['state'] === 'DONE' ? '- [x] ' : '- [ ] ';
}

function table(node: AdfNode, depth: number): string {
  return pipeTable(
    childrenOf(node).map((row) =>
      childrenOf(row).map((cell) => ({
        text: blocks(cell, depth + 2),
        columns: numberOf(cell.attrs['colspan']) ?? 1,
        rows: numberOf(cell.attrs['rowspan']) ?? 1,
      })),
    ),
  );
}

const CARD = z.object({ url: z.string().optional(), name: z.string().optional() }).catch({});

/** A link that the editor shows as a card; some hold the shown data (JSON-LD) instead of the URL. */
function card({ attrs }: AdfNode): string {
  const data = CARD.parse(attrs['data'] ?? {});
  const url = wordOf(attrs['url']) || wordOf(data.url);
  const name = wordOf(data.name);
  return name !== '' && url !== '' ? `[${name}](${url})` : name || url;
}

function inlines(node: AdfNode): string {
  return childrenOf(node)
    .map((child) => (INLINE.has(child.type) ? inline(child) : inlines(child)))
    .join('');
}

function inline(node: AdfNode): string {
  switch (node.type) {
    case 'text':
      return markedText(node.text, node.marks);
    case 'hardBreak':
      return '\n';
    case 'emoji':
      return wordOf(node.attrs['text']) || wordOf(node.attrs['shortName']);
    case 'inlineCard':
      return card(node);
    case 'date':
      return dateOf(node.attrs['timestamp']);
    case 'mediaInline':
      return wordOf(node.attrs['alt']);
    case 'placeholder':
      return '';
    default:
      return wordOf(node.attrs['text']) || inlines(node);
  }
}

/** Milliseconds since 1970, as text. */
function dateOf(value: unknown): string {
  const date = new Date(numberOf(value) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

function headingLevel(node: AdfNode): number {
  return Math.min(6, Math.max(1, Math.trunc(numberOf(node.attrs['level']) ?? 1)));
}

function fenced(code: string, language: string): string {
  let longest = 0;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

function prefixed(text: string, prefix: string): string {
  return text === '' ? '' : text.replace(/^/gm, prefix);
}

function titled(title: string, text: string): string {
  return [title && `**${title}**`, text].filter((part) => part !== '').join('\n\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
