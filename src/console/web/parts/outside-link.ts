import { html, type Part, type Parts } from './html.ts';

/** A link to another site, for addresses that others wrote: only web and mail addresses become links. */
export function outsideLink(address: string, text: Parts = address): Part {
  const target = safeAddress(address);
  if (target === null) return html`<span>${text}</span>`;
  return html`<a href=${target} target="_blank" rel="noopener noreferrer nofollow">${text}</a>`;
}

const SAFE = new Set(['http:', 'https:', 'mailto:']);

/** The address if a click on it may not run a script; null otherwise. */
export function safeAddress(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && SAFE.has(url.protocol) ? url.href : null;
}
