import { useEffect } from 'preact/hooks';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';

/** The frame of pages that are shown before sign-in. */
export function door(given: { title: string; about?: Parts; content: Parts }): Part {
  return html`<${Door} ...${given} />`;
}

function Door({ title, about, content }: Parameters<typeof door>[0]): Part {
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
  return html`<div>
    <span class="brand"><img src=${iconAddress()} alt="" />Millrace</span>
    <div class="stack tight">
      <h1 tabindex="-1">${title}</h1>
      ${about && html`<p class="muted">${about}</p>`}
    </div>
    ${content}
  </div>`;
}

function iconAddress(): string {
  return document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '';
}

/**
 * The token of a link, which stands in the fragment: browsers send it to nobody. It is taken out of the address, so that
 * it does not stay in the history.
 */
export function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    kept.set(location.pathname, token);
  }
  return kept.get(location.pathname) ?? null;
}

const kept = new Map<string, string>();
