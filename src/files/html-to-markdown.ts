import Turndown from 'turndown';

/** Turns an HTML fragment into Markdown: ATX headings, fenced code, pipe tables; no pictures. */
export function htmlToMarkdown(html: string): string {
  const converter = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  converter.remove(['script', 'style', 'noscript', 'title']);
  // Highlighters leave out the `code` that the converter looks for.
  converter.addRule('bareCode', {
    filter: (node) => node.nodeName === 'PRE' && node.firstChild?.nodeName !== 'CODE',
    replacement: (_, node) => fence(node.textContent ?? ''),
  });
  converter.addRule('picture', { filter: 'img', replacement: (_, node) => altText(node) });
  converter.addRule('tableCell', {
    filter: ['th', 'td'],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')} |`,
  });
  converter.addRule('tableRow', { filter: 'tr', replacement: tableRow });
  converter.addRule('tablePart', {
    filter: ['thead', 'tbody', 'tfoot'],
    replacement: (content) => content,
  });
  converter.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
  return converter.turndown(html).trim();
}

/** The fence is longer than any in the code itself. */
function fence(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return code.trim() === '' ? '' : `\n\n${ticks}\n${code.replace(/^\n+|\s+$/g, '')}\n${ticks}\n\n`;
}

function altText(node: Node): string {
  // turndown passes elements only; the DOM types of its parser say `Node`.
  return (node as Element).getAttribute('alt') ?? '';
}

/** Markdown tables need a rule under their first row, whether or not the HTML had a `thead`. */
function tableRow(content: string, node: Node): string {
  // Rows are elements, see above.
  const row = node as Element;
  const line = `|${content.replace(/\n/g, '')}\n`;
  const isFirst = row.closest('table')?.querySelector('tr') === row;
  return isFirst ? `${line}|${' --- |'.repeat(row.children.length)}\n` : line;
}
