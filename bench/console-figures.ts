import { setTimeout as wait } from 'node:timers/promises';

/** An event comes at most every two seconds, and later when its queries are slow. */
const LAST_EVENT_MS = 30_000;

type Events = ReadonlyMap<string, Record<string, unknown>>;

/** The parts of events that are compared; the API's description has their shapes. */
interface Shown {
  overview: { documents: { indexed: number; accepted: number; failed: number } };
  documents: { counts: Record<string, number> };
  queues: { queues: { name: string; waiting: number; active: number; failed: number }[] };
  connectors: { connectors: { cc_pair_id: number; docs: { indexed: number; pending: number } }[] };
  connector: { connector: { docs: { indexed: number; pending: number } } };
}

/**
 * Waits until what the tabs show is what was sent: so many documents, all of the one connector and all indexed.
 * @returns `equal` with the figures, or `DIFFERENT` with what differs
 */
export async function awaitFigures(
  latest: Events,
  wanted: { connectorId: number; documents: number },
): Promise<string> {
  const { documents, connectorId } = wanted;
  const expected = {
    overview: `${documents} indexed, 0 waiting, 0 failed`,
    documents: `${documents} indexed, 0 waiting, 0 failed`,
    queues: '0 waiting, 0 active, 0 failed',
    connectors: `${documents} indexed, 0 waiting`,
    [`connector:${connectorId}`]: `${documents} indexed, 0 waiting`,
  };
  let different = '';
  for (
    const until = performance.now() + LAST_EVENT_MS;
    performance.now() < until;
    await wait(250)
  ) {
    const shown = figuresOf(latest, connectorId);
    different = Object.entries(expected)
      .filter(([topic, text]) => shown.get(topic) !== text)
      .map(([topic, text]) => `${topic} shows ${shown.get(topic)}, not ${text}`)
      .join('; ');
    if (different === '') return `equal (${expected.overview})`;
  }
  return `DIFFERENT: ${different}`;
}

function figuresOf(latest: Events, connectorId: number): Map<string, string> {
  const shown = new Map<string, string>();
  // The shapes are those of the API's description.
  const { overview, documents, queues, connectors } = Object.fromEntries(latest) as Partial<Shown>;
  const connector = latest.get(`connector:${connectorId}`) as Shown['connector'] | undefined;
  if (overview) {
    const { indexed, accepted, failed } = overview.documents;
    shown.set('overview', `${indexed} indexed, ${accepted} waiting, ${failed} failed`);
  }
  if (documents) {
    const { indexed = 0, accepted = 0, indexing = 0, failed = 0 } = documents.counts;
    shown.set('documents', `${indexed} indexed, ${accepted + indexing} waiting, ${failed} failed`);
  }
  const queue = queues?.queues.find(({ name }) => name === 'document-index');
  if (queue) {
    shown.set('queues', `${queue.waiting} waiting, ${queue.active} active, ${queue.failed} failed`);
  }
  const pair = connectors?.connectors.find(({ cc_pair_id }) => cc_pair_id === connectorId);
  if (pair) shown.set('connectors', docsText(pair.docs));
  if (connector) shown.set(`connector:${connectorId}`, docsText(connector.connector.docs));
  return shown;
}

function docsText({ indexed, pending }: { indexed: number; pending: number }): string {
  return `${indexed} indexed, ${pending} waiting`;
}
