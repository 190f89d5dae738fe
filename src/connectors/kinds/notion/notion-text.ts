import type { RichText } from './notion-api.ts';
import type { BlockContent, NotionBlock } from './notion-blocks.ts';

/** Text with its links. */
export function renderRichText(parts: RichText | null | undefined): string {
  return (parts ?? []).map(({ plain_text: text, href }) => withLink(text, href ?? null)).join('');
}

function withLink(text: string, href: string | null): string {
  if (href === null || text.trim() === '') return text;
  const address = href.startsWith('/') ? `https://www.notion.so${href}` : href;
  return address === text ? text : `[${text}](${address})`;
}

/** A page's blocks as Markdown. Subpages and databases become links. */
export function renderBlocks(blocks: readonly NotionBlock[]): string {
  return renderSiblings(blocks).trim();
}

const LIST_ITEMS = new Set(['bulleted_list_item', 'numbered_list_item', 'to_do']);

function renderSiblings(blocks: readonly NotionBlock[]): string {
  let text = '';
  let number = 0;
  let previous: string | null = null;
  for (const block of blocks) {
    number = block.type === 'numbered_list_item' ? number + 1 : 0;
    const rendered = renderBlock(block, number);
    if (rendered.trim() === '') continue;
    // Items of one list stay together; everything else is a separate paragraph.
    const isSameList = previous === block.type && LIST_ITEMS.has(block.type);
    text += (text === '' ? '' : isSameList ? '\n' : '\n\n') + rendered;
    previous = block.type;
  }
  return text;
}

function renderBlock(block: NotionBlock, number: number): string {
  const { type, content } = block;
  const own = renderRichText(content.rich_text);
  switch (type) {
    case 'heading_1':
    case 'heading_2':
    case 'heading_3':
      return withChildren(own && `${'#'.repeat(Number(type.at(-1)))} ${own}`, block);
    case 'bulleted_list_item':
      return withIndented(`- ${own}`, block);
    case 'numbered_list_item':
      return withIndented(`${number}. ${own}`, block);
    case 'to_do':
      return withIndented(`- [${content.checked ? 'x' : ' '}] ${own}`, block);
    case 'quote':
      return prefixLines(withChildren(own, block), '> ');
    case 'callout':
      return withChildren([content.icon?.emoji, own].filter(Boolean).join(' '), block);
    case 'code':
      return [fenced(own, content.language ?? ''), renderRichText(content.caption)]
        .filter(Boolean)
        .join('\n');
    case 'equation':
      return content.expression ? `$$${content.expression}$$` : '';
    case 'table':
      return renderTable(block);
    case 'child_page':
    case 'child_database':
      return subPageLink(block);
    case 'divider':
      return '---';
    case 'table_of_contents':
    case 'breadcrumb':
      return '';
    default:
      return withChildren(own || renderMedia(content), block);
  }
}

/** Images, files, bookmarks, embeds. URLs of uploads expire within the hour and are left out. */
function renderMedia({ caption, name, url, external }: BlockContent): string {
  const address = url || external?.url || '';
  const label = renderRichText(caption) || name || '';
  if (address === '') return label;
  return label ? `[${label}](${address})` : address;
}

function renderTable({ children, content }: NotionBlock): string {
  const rows = children.map(({ content: row }) =>
    (row.cells ?? []).map((cell) =>
      renderRichText(cell).replaceAll('|', '\\|').replaceAll('\n', ' '),
    ),
  );
  const [first] = rows;
  if (!first) return '';
  const header = content.has_column_header ? first : first.map(() => '');
  const body = content.has_column_header ? rows.slice(1) : rows;
  return [header, first.map(() => '---'), ...body]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

function subPageLink({ id, content }: NotionBlock): string {
  return `[${content.title || 'Untitled'}](https://www.notion.so/${id.replaceAll('-', '')})`;
}

function withChildren(text: string, { children }: NotionBlock): string {
  return [text, renderSiblings(children)].filter(Boolean).join('\n\n');
}

function withIndented(text: string, { children }: NotionBlock): string {
  const nested = renderSiblings(children);
  return nested === '' ? text : `${text}\n${prefixLines(nested, '  ')}`;
}

function prefixLines(text: string, prefix: string): string {
  return text === '' ? '' : text.replace(/^/gm, prefix);
}

function fenced(code: string, language: string): string {
  let longest = 0;
  for (const [ticks] of code.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return code === ''
    ? ''
    : `${fence}${language === 'plain text' ? '' : language}\n${code}\n${fence}`;
}
