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
  scrape: (id) => `/leads/${id}`,
  worker: () => '/operations/workers',
};

/** Where the thing is shown that a job, an alarm or a hit is about; null when it has no page. */
export function subjectHref({ kind, id }: Subject): string | null {
  const page = PAGES[kind];
  return page === undefined ? null : link(page(id));
}

export function subjectLink(subject: Subject): Part {
  const href = subjectHref(subject);
  if (href === null) return html`<span>${subject.kind} ${shortId(subject.id)}</span>`;
  return html`<a href=${href}>${subject.kind} ${subject.id}</a>`;
}
