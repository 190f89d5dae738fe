import { type CheerioAPI, load } from 'cheerio';
import { htmlToMarkdown } from '#src/files/html-to-markdown.ts';
import { replaceMacro } from './storage-macros.ts';
import {
  elementsByName,
  resourceName,
  selectorOf,
  spanOf,
  type StorageNodes,
} from './storage-nodes.ts';

/** Elements whose content is meant for Confluence, not for readers. */
const NOT_CONTENT = [
  'ac:parameter',
  'ac:placeholder',
  'ac:task-id',
  'ac:task-uuid',
  'ac:adf-attribute',
];

const FOREIGN_TAG = /<\/?(?:ac|ri|at):(?:"[^"<]*"|[^"<>])*>/gi;

/** No editor nests this deep, and parsing such HTML would be slow. */
const MAX_DEPTH = 500;

/**
 * Turns Confluence's storage format into Markdown: its macros, links, tasks and pictures become HTML first. Unknown
 * macros are reduced to their text.
 * https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
 * @throws Error when it is nested too deeply
 */
export function storageToMarkdown(storage: string): string {
  if (depthOf(storage) > MAX_DEPTH) throw new Error('The text is nested too deeply.');
  return htmlToMarkdown(storageToHtml(storage));
}

function depthOf(storage: string): number {
  let depth = 0;
  let deepest = 0;
  const tags = withoutCdata(storage).matchAll(/<(\/?)[a-z][^<>]*?(\/?)>/gi);
  for (const [, closes, isEmpty] of tags) {
    if (isEmpty) continue;
    depth += closes ? -1 : 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Not a regular expression: it would search for the end again from each start. */
function withoutCdata(storage: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = storage.indexOf('<![CDATA[', from);
    const end = start === -1 ? -1 : storage.indexOf(']]>', start);
    kept.push(storage.slice(from, end === -1 ? undefined : start));
    if (end === -1) return kept.join('');
    from = end + 3;
  }
}

function storageToHtml(storage: string): string {
  // The input is XHTML with HTML's named entities, CDATA sections and self-closing elements.
  const page = load(storage, {
    xml: { xmlMode: false, recognizeSelfClosing: true, recognizeCDATA: true },
  });
  const found = elementsByName(page);
  // Innermost first, so that the content of a macro is already HTML when the macro is replaced.
  const each = (name: string, change: (element: StorageNodes) => void): void => {
    for (const element of found.get(name)?.toReversed() ?? []) change(page(element));
  };
  each('ac:adf-extension', replaceAdf);
  each('ac:structured-macro', (element) => replaceMacro(page, element));
  each('ac:link', (element) => replaceLink(page, element));
  each('ac:image', (element) => replacePicture(page, element));
  each('ac:task-status', (element) => {
    element.replaceWith(element.text().trim() === 'complete' ? '☑ ' : '☐ ');
  });
  each('ac:task', (element) => renameTo(page, element, '<li>'));
  each('ac:task-list', (element) => renameTo(page, element, '<ul>'));
  each('ac:emoticon', (element) => {
    element.replaceWith(spanOf(page, element.attr('ac:emoji-fallback') ?? ''));
  });
  each('time', (element) => {
    if (element.text() === '') element.text(element.attr('datetime') ?? '');
  });
  for (const name of NOT_CONTENT) each(name, (element) => element.remove());
  // Layouts, inline comment markers and unknown elements: their content stays.
  return page.html().replace(FOREIGN_TAG, '');
}

/** Newer editors write ADF together with fallback HTML for older readers. */
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
