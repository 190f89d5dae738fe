import { link } from '#src/console/web/data/place.ts';
import { type Access, may } from '#src/console/web/data/session.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';

export interface Subject {
  readonly kind: string;
  readonly id: string;
}

/** `document-index/91` */
function jobPath(id: string): string {
  const [queue = '', job = ''] = id.split('/');
  return `/operations/${queue}/jobs/${encodeURIComponent(job)}`;
}

/** Pages by kind, each with what it needs: nobody gets a link to a page that would refuse them. */
const PAGES: Readonly<Record<string, { needs: Access; path: (id: string) => string }>> = {
  document: { needs: 'read-or-ingest', path: (id) => `/documents/${encodeURIComponent(id)}` },
  documents: { needs: 'ingest', path: (status) => `/documents?status=${status}` },
  connector: { needs: 'admin', path: (id) => `/connectors/${id}` },
  endpoint: { needs: 'admin', path: (id) => `/webhooks/${id}` },
  delivery: { needs: 'admin', path: (id) => `/webhooks/deliveries/${id}` },
  queue: { needs: 'operator-read', path: (id) => `/operations/${id}` },
  alarm: { needs: 'operator-read', path: (id) => `/operations/${id}` },
  session: { needs: 'read', path: (id) => `/ask?chat=${id}` },
  account: { needs: 'read', path: (id) => `/mail/${id}` },
  scrape: { needs: 'read', path: (id) => `/leads/${id}` },
  job: { needs: 'operator-read', path: jobPath },
  worker: { needs: 'operator-read', path: () => '/operations/workers' },
};

/**
 * The page, below the console, that shows what a job, an alarm or a hit is about; null when it has none that this
 * person may see.
 */
export function subjectPath({ kind, id }: Subject): string | null {
  const page = PAGES[kind];
  return page !== undefined && may(page.needs) ? page.path(id) : null;
}

/** The same as an address for a link. */
export function subjectHref(subject: Subject): string | null {
  const page = subjectPath(subject);
  return page === null ? null : link(page);
}

/** What the service has found the page of, with the words for what has none. */
export interface ResolvedSubject extends Subject {
  readonly workspace_id: string | null;
  readonly page: Subject | null;
}

export function resolvedLink({ kind, id, workspace_id: workspace, page }: ResolvedSubject): Part {
  const href = page === null ? null : subjectHref(page);
  const shown = page !== null && page.kind === kind ? page.id : id;
  if (href !== null) return html`<a href=${href}>${kind} ${shownId(kind, shown)}</a>`;
  const where = workspace === null ? 'gone' : 'of another workspace, or without a page';
  return html`<span title=${where}>${kind} ${shortId(id)}</span>`;
}

function shownId(kind: string, id: string): string {
  const own = kind === 'job' ? (id.split('/')[1] ?? id) : id;
  return own.length > 40 ? `${own.slice(0, 37)}…` : own;
}
