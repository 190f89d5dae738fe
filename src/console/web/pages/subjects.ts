import { link } from '#src/console/web/data/place.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';

export interface Subject {
  readonly kind: string;
  readonly id: string;
}

const PAGES: Readonly<Record<string, (id: string) => string>> = {
  document: (id) => `/documents/${encodeURIComponent(id)}`,
  connector: (id) => `/connectors/${id}`,
  endpoint: (id) => `/webhooks/${id}`,
  delivery: (id) => `/webhooks/deliveries/${id}`,
  queue: (id) => `/operations/${id}`,
  alarm: (id) => `/operations/${id}`,
  session: (id) => `/ask?chat=${id}`,
  account: (id) => `/mail/${id}`,
  scrape: (id) => `/leads/${id}`,
  worker: () => '/operations/workers',
};

/** The page, below the console, that shows what a job, an alarm or a hit is about; null when it has none. */
export function subjectPath({ kind, id }: Subject): string | null {
  return PAGES[kind]?.(id) ?? null;
}

/** The same as an address for a link. */
export function subjectHref(subject: Subject): string | null {
  const page = subjectPath(subject);
  return page === null ? null : link(page);
}

export function subjectLink(subject: Subject): Part {
  const href = subjectHref(subject);
  if (href === null) return html`<span>${subject.kind} ${shortId(subject.id)}</span>`;
  return html`<a href=${href}>${subject.kind} ${subject.id}</a>`;
}
