import { type CheerioAPI, load } from 'cheerio';
import { htmlToMarkdown } from '#src/files/html-to-markdown.ts';
import { replaceMacro } from './storage-macros.ts';
import { resourceName, selectorOf, spanOf, type StorageNodes } from './storage-nodes.ts';

/** Elements whose content is for Confluence, not for readers. */
const NOT_CONTENT = [
  'ac:parameter',
  'ac:placeholder',
  'ac:task-id',
  'ac:task-uuid',
  'ac:adf-attribute',
];

/**
 * Turns Confluence's storage format into Markdown: its macros, links, tasks and pictures become HTML first.
 * Of macros that are unknown the text inside is kept.
 * https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
 */
export function storageToMarkdown(storage: string): string {
  return htmlToMarkdown(storageToHtml(storage));
}

function storageToHtml(storage: string): string {
  // XHTML with the named entities of HTML, with CDATA, and with elements that close themselves.
  const page = load(storage, {
    xml: { xmlMode: false, recognizeSelfClosing: true, recognizeCDATA: true },
  });
  // The innermost first: what a macro holds is HTML when its own turn comes.
  eachFromEnd(page, 'ac:adf-extension', replaceAdf);
  eachFromEnd(page, 'ac:structured-macro', (element) => replaceMacro(page, element));
  eachFromEnd(page, 'ac:link', (element) => replaceLink(page, element));
  eachFromEnd(page, 'ac:image', (element) => replacePicture(page, element));
  eachFromEnd(page, 'ac:task-status', (element) => {
    element.replaceWith(element.text().trim() === 'complete' ? '☑ ' : '☐ ');
  });
  eachFromEnd(page, 'ac:task', (element) => renameTo(page, element, '<li>'));
  eachFromEnd(page, 'ac:task-list', (element) => renameTo(page, element, '<ul>'));
  eachFromEnd(page, 'ac:emoticon', (element) => {
    element.replaceWith(spanOf(page, element.attr('ac:emoji-fallback') ?? ''));
  });
  eachFromEnd(page, 'time', (element) => {
    if (element.text() === '') element.text(element.attr('datetime') ?? '');
  });
  page(NOT_CONTENT.map(selectorOf).join(',')).remove();
  // Layouts, marks of inline comments, and whatever is not known: their content stays.
  eachFromEnd(page, null, (element) => {
    if (/^(?:ac|ri|at):/.test(element.prop('tagName')?.toLowerCase() ?? '')) {
      element.replaceWith(element.contents());
    }
  });
  return page.html();
}

function eachFromEnd(
  page: CheerioAPI,
  name: string | null,
  change: (element: StorageNodes) => void,
): void {
  const found = page(name === null ? '*' : selectorOf(name)).get();
  for (const element of found.toReversed()) change(page(element));
}

/** Newer editors write ADF, and beside it the HTML that older readers shall show. */
function replaceAdf(extension: StorageNodes): void {
  const fallback = extension.children(selectorOf('ac:adf-fallback'));
  extension.replaceWith(fallback.length > 0 ? fallback.contents() : extension.contents());
}

function replaceLink(page: CheerioAPI, link: StorageNodes): void {
  const body = link.children(selectorOf('ac:link-body'));
  if (body.length > 0) {
    link.replaceWith(body.contents());
    return;
  }
  const plain = link.children(selectorOf('ac:plain-text-link-body')).text();
  link.replaceWith(spanOf(page, plain || resourceName(link)));
}

function replacePicture(page: CheerioAPI, image: StorageNodes): void {
  const file = image.children(selectorOf('ri:attachment')).attr('ri:filename') ?? '';
  const caption = image.children(selectorOf('ac:caption'));
  image.after(caption.contents());
  image.replaceWith(page('<img>').attr('alt', image.attr('ac:alt') || file));
}

function renameTo(page: CheerioAPI, element: StorageNodes, tag: string): void {
  element.replaceWith(page(tag).append(element.contents()));
}
