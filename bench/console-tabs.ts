import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { readEvents } from '#src/client/read-events.ts';
import type { ChildMillrace } from './child-millrace.ts';

/** What a page asks for when it opens, what it follows, and what it asks for again and again. */
interface ConsolePage {
  name: string;
  opens: readonly string[];
  topic: string | null;
  repeats: readonly string[];
}

const LIST = ['/service-api/ingestion?limit=50', '/service-api/ingestion/stats'];

/** The busiest pages of the console; `src/console/web/pages` has what they ask for. */
const PAGES: readonly ConsolePage[] = [
  { name: 'overview', opens: ['/overview'], topic: 'overview', repeats: [] },
  {
    name: 'operations',
    opens: ['/operations/queues?range=hour'],
    topic: 'queues',
    repeats: [],
  },
  {
    name: 'queue',
    opens: [
      '/operations/queues/document-index?range=hour',
      '/operations/queues/document-index/failures?range=hour',
    ],
    topic: 'queue:document-index',
    repeats: [],
  },
  { name: 'workers', opens: ['/operations/workers'], topic: 'workers', repeats: [] },
  { name: 'documents', opens: LIST, topic: null, repeats: LIST },
];

/** How often the page of documents looks again while documents are on their way, and otherwise. */
const REPEAT_MS = 2_500;
const IDLE_REPEAT_MS = 10_000;
const ON_ITS_WAY = /"status":"(?:accepted|indexing|deleting)"/;

export interface ConsoleTabs extends AsyncDisposable {
  /** The last event of each topic. */
  readonly latest: ReadonlyMap<string, Record<string, unknown>>;
  /** Events and answers so far. */
  seen(): { events: number; answers: number };
}

/**
 * Opens `count` tabs, the pages in turn, each with its own connection for its stream. A tab is what the service sees of
 * one: no page is drawn.
 * @throws when a page is refused
 */
export async function openConsoleTabs(target: ChildMillrace, count: number): Promise<ConsoleTabs> {
  const closing = new AbortController();
  const latest = new Map<string, Record<string, unknown>>();
  const pool = new Pool(target.url, { connections: count });
  let events = 0;
  let answers = 0;
  const headers = { authorization: `Bearer ${target.adminKey}` };

  const ask = async (path: string): Promise<string> => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
    answers += 1;
    return text;
  };
  const follow = async (topic: string): Promise<void> => {
    const address = `${target.url}/live?topics=${encodeURIComponent(topic)}`;
    const answer = await fetch(address, { headers, signal: closing.signal });
    if (answer.status !== 200 || answer.body === null) {
      throw new Error(`/live: ${answer.status} ${await answer.text()}`);
    }
    for await (const { data } of readEvents(answer.body)) {
      events += 1;
      // An object by the API's description.
      latest.set(topic, JSON.parse(data) as Record<string, unknown>);
    }
  };
  const live = async ({ opens, topic, repeats }: ConsolePage): Promise<void> => {
    let shown = await Promise.all(opens.map(ask));
    if (topic !== null) await follow(topic);
    while (topic === null && !closing.signal.aborted) {
      const isMoving = shown.some((text) => ON_ITS_WAY.test(text));
      await wait(isMoving ? REPEAT_MS : IDLE_REPEAT_MS, null, { signal: closing.signal });
      shown = await Promise.all(repeats.map(ask));
    }
  };
  const tabs = Array.from({ length: count }, async (_, n) => {
    const page = PAGES[n % PAGES.length];
    if (page) await live(page);
  });
  const ended = Promise.allSettled(tabs);
  return {
    latest,
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
