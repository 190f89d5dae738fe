import { Pool } from 'undici';
import { readEvents } from '#src/client/read-events.ts';
import type { ChildMillrace } from './child-millrace.ts';

/** What a page asks for when it opens, what it follows, and what it asks for again when an event comes. */
export interface ConsolePage {
  readonly opens: readonly string[];
  /** Several are parted by commas. */
  readonly topic: string;
  readonly again: readonly string[];
}

/** Something for each page about one thing to show. */
export interface ShownThings {
  connectorId: number;
  documentId: string;
  endpointId: string;
  deliveryId: string;
  /** The next run of file-sweep: finished jobs are removed while others follow. */
  jobId: string;
  scrapeId: string;
  accountId: string;
}

/** Every page of the console that follows topics as it opens; `src/console/web/pages` has what they ask for. */
export function livePages(shown: ShownThings): ConsolePage[] {
  const pair = `/manage/admin/cc-pair/${shown.connectorId}`;
  const document = encodeURIComponent(shown.documentId);
  const list = ['/service-api/ingestion?limit=50'];
  const jobs = ['/operations/queues/document-index/jobs?state=active'];
  return [
    page('overview', ['/overview']),
    page('operations', ['/operations/queues?range=hour'], 'queues'),
    page(
      'queue:document-index',
      [
        '/operations/queues/document-index?range=hour',
        '/operations/queues/document-index/failures?range=hour',
      ],
      'queue:document-index',
    ),
    page('jobs', jobs, 'queue:document-index', jobs),
    page(
      'job',
      [`/operations/queues/file-sweep/jobs/${encodeURIComponent(shown.jobId)}`],
      `job:file-sweep/${shown.jobId}`,
    ),
    page('workers', ['/operations/workers']),
    page('schedules', ['/operations/schedules', '/operations/repairs?range=month']),
    page('alarms', ['/operations/alarms?state=open'], 'alarms', ['/operations/alarms?state=open']),
    page('documents', [...list, '/service-api/ingestion/stats'], 'documents', list),
    page(
      'document',
      [
        `/service-api/ingestion/${document}`,
        `/documents/${document}/why`,
        `/service-api/ingestion/${document}/chunks?from=0&limit=50`,
      ],
      `document:${document}`,
    ),
    page(
      'connectors',
      ['/manage/admin/connector/status', '/manage/admin/connector-kinds'],
      'connectors',
    ),
    page(
      'connector',
      [
        pair,
        `${pair}/index-attempts?page_num=0&page_size=10`,
        `${pair}/errors?page_num=0&page_size=10`,
        `${pair}/prune-attempts?page_num=0&page_size=1`,
        '/manage/admin/connector-kinds',
      ],
      `connector:${shown.connectorId}`,
    ),
    page('leads', ['/tools/lead-scraper?limit=50']),
    page('scrape', [`/tools/lead-scraper/${shown.scrapeId}`], `scrape:${shown.scrapeId}`),
    page(
      'sender account',
      [
        `/email-accounts/${shown.accountId}`,
        `/email-messages?email_account_id=${shown.accountId}&limit=50`,
        '/bounce-mailboxes',
      ],
      `sender-account:${shown.accountId},bounce-mailboxes`,
    ),
    page('webhooks', ['/webhook-endpoints', '/webhook-event-types'], 'webhooks'),
    page(
      'endpoint',
      [
        `/webhook-endpoints/${shown.endpointId}`,
        `/webhook-deliveries?endpoint_id=${shown.endpointId}&limit=25`,
      ],
      `webhook:${shown.endpointId}`,
    ),
    page('delivery', [`/webhook-deliveries/${shown.deliveryId}`], `delivery:${shown.deliveryId}`),
  ];
}

function page(
  name: string,
  opens: readonly string[],
  topic: string = name,
  again: readonly string[] = [],
): ConsolePage {
  return { opens, topic, again };
}

export interface ConsoleTabs extends AsyncDisposable {
  /** Resolves when each tab has its answers and its first event; rejects when one is refused. */
  readonly areOpen: Promise<unknown>;
  /** The last event of each topic. */
  readonly latest: ReadonlyMap<string, Record<string, unknown>>;
  /** Events and answers so far. */
  seen(): { events: number; answers: number };
}

/**
 * Opens `count` tabs, the pages in turn, each with its own connection for its stream. A tab is what the service sees of
 * one: no page is drawn.
 */
export function openConsoleTabs(
  target: ChildMillrace,
  pages: readonly ConsolePage[],
  count: number,
): ConsoleTabs {
  const closing = new AbortController();
  const latest = new Map<string, Record<string, unknown>>();
  const pool = new Pool(target.url, { connections: count });
  let events = 0;
  let answers = 0;
  const headers = { authorization: `Bearer ${target.adminKey}` };

  const ask = async (path: string): Promise<void> => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
    answers += 1;
  };
  const open = async ({ opens, topic, again }: ConsolePage, isOpen: () => void): Promise<void> => {
    await Promise.all(opens.map(ask));
    const address = `${target.url}/live?topics=${encodeURIComponent(topic)}`;
    const answer = await fetch(address, { headers, signal: closing.signal });
    if (answer.status !== 200 || answer.body === null) {
      throw new Error(`/live: ${answer.status} ${await answer.text()}`);
    }
    for await (const { data } of readEvents(answer.body)) {
      events += 1;
      // An object by the API's description.
      latest.set(topic, JSON.parse(data) as Record<string, unknown>);
      isOpen();
      await Promise.all(again.map(ask));
    }
  };
  const tabs = Array.from({ length: count }, (_, n) => {
    const isOpen = Promise.withResolvers<void>();
    const shown = pages[n % pages.length];
    const ended = shown ? open(shown, isOpen.resolve) : Promise.resolve();
    ended.then(isOpen.resolve, isOpen.reject);
    return { isOpen: isOpen.promise, ended };
  });
  const ended = Promise.allSettled(tabs.map((one) => one.ended));
  return {
    latest,
    areOpen: Promise.all(tabs.map(({ isOpen }) => isOpen)),
    seen: () => ({ events, answers }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      for (const tab of await ended) {
        if (tab.status === 'rejected' && !isAbort(tab.reason)) throw tab.reason;
      }
      await pool.close();
    },
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
