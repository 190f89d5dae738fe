import { looksLikeHtml } from '#src/documents/html-text.ts';

/** What the index holds of a page. */
export interface IndexedPage {
  title: string;
  /** Markdown, HTML or plain text. */
  text: string;
  /** `og:site_name`, description and language as given by the page; empty if missing. */
  siteName: string;
  description: string;
  language: string;
}

/**
 * An HTML page with the content of an indexed one: its headings, paragraphs and list items. Markdown links and
 * written addresses (`https:`, `mailto:`, `tel:`) become links.
 */
export function indexedPageHtml({
  title,
  text,
  siteName,
  description,
  language,
}: IndexedPage): string {
  const head = [
    `<title>${escapeHtml(title)}</title>`,
    meta('og:site_name', siteName),
    meta('description', description),
  ].join('');
  const body = looksLikeHtml(text) ? text : blocksOf(text);
  return `<!doctype html><html lang="${escapeHtml(language)}"><head><meta charset="utf-8">${head}</head><body>${body}</body></html>`;
}

function meta(name: string, content: string): string {
  return content === '' ? '' : `<meta property="${name}" content="${escapeHtml(content)}">`;
}

function blocksOf(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .filter((block) => block.trim() !== '')
    .map(blockOf)
    .join('\n');
}

function blockOf(block: string): string {
  const lines = block.trim().split('\n');
  const [, marks, heading] = /^(#{1,6}) (.*)$/.exec(lines[0] ?? '') ?? [];
  if (marks !== undefined && heading !== undefined) {
    const rest = lines.slice(1).join('\n').trim();
    const after = rest === '' ? '' : `\n${blockOf(rest)}`;
    return `<h${marks.length}>${inline(heading)}</h${marks.length}>${after}`;
  }
  if (lines.every((line) => LIST_ITEM.test(line))) {
    return `<ul>${lines.map((line) => `<li>${inline(line.replace(LIST_ITEM, ''))}</li>`).join('')}</ul>`;
  }
  return `<p>${lines.map(inline).join('<br>\n')}</p>`;
}

const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)]) /;

/** `[words](address)`, `<address>`, and a bare address. Every part is bounded, so the time is linear. */
const LINK =
  /\[([^[\]\n]{0,300})\]\(<?((?:https?:|mailto:|tel:|\/)[^\s()<>]{1,2000})>?(?: "[^"\n]{0,300}")?\)|<((?:https?:|mailto:|tel:)[^\s<>]{1,2000})>|(?<![\w/])((?:https?:\/\/|mailto:|tel:)[^\s<>"'()[\]]{1,2000})/gi;

function inline(text: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(LINK)) {
    const [whole, words, named, angled, bare] = match;
    // The full stop of a sentence does not belong to the address.
    const address = named ?? angled ?? (bare ?? '').replace(/[.,;:!?*_|]{1,20}$/, '');
    const length = bare === undefined ? whole.length : address.length;
    parts.push(
      plain(text.slice(end, match.index)),
      `<a href="${escapeHtml(address)}">${plain(words ?? address)}</a>`,
    );
    end = match.index + length;
  }
  parts.push(plain(text.slice(end)));
  return parts.join('');
}

/** Without emphasis marks, which would separate a label from its value. */
function plain(text: string): string {
  return escapeHtml(text.replaceAll(/\*\*|~~/g, ''));
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
