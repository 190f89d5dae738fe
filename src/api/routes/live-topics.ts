import type { Principal } from '#src/accounts/principal.ts';
import { assertMay, assertPlan } from '#src/api/auth.ts';
import type { StreamTopic } from '#src/operations/live-stream.ts';
import { queueNamed } from '#src/operations/jobs.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { DELIVERIES, type Look, ROWS, RUNS, WORKSPACE_TOPICS } from './live-workspace-topics.ts';
import {
  alarmsBody,
  jobBody,
  queueBody,
  queuesBody,
  schedulesBody,
  workersBody,
} from './operations-bodies.ts';

const MAX_TOPICS = 10;
/** The id of a document has up to 2,048 bytes, and each may become three characters. */
export const MAX_TOPICS_LENGTH = 7_000;

export const TOPICS_HELP = `topics are parted by commas, at most ${MAX_TOPICS}: overview; documents, the figures of ingestion; document:<id>, one document with why it is or is not searchable, its id percent-encoded; leads, the latest ${ROWS} scrapes; scrape:<id>, one with its sites and leads; sender-account:<id>, one with its latest ${ROWS} messages; bounce-mailboxes; user-file:<id>, a file of the caller’s; for admins connectors, connector:<id>, one of them with its latest ${RUNS} runs, ${RUNS} failures and its latest prune, webhooks, the endpoints, webhook:<id>, one of them with its latest ${DELIVERIES} deliveries, and delivery:<id>, one with its attempts; for admins of the operator’s workspace queues, queue:<name>, job:<queue>/<id>, one job with its events, schedules, workers and alarms. Once a thing is gone, its topic says { "gone": true }.`;

/**
 * What the names of a request stand for.
 * @throws Problem BAD_REQUEST for an unknown topic, UNAUTHORIZED for one that the caller may not follow, NOT_FOUND for
 *   one about a thing that is not there
 */
export async function topicsOf(
  services: Services,
  principal: Principal,
  text: string,
): Promise<StreamTopic[]> {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  if (names.length > MAX_TOPICS) {
    throw new Problem('BAD_REQUEST', `query.topics: name at most ${MAX_TOPICS} topics.`);
  }
  const found = names.map(async (name): Promise<StreamTopic> => {
    const own = await workspaceTopic(services, principal, name);
    if (own !== null) return { name, ...own };
    const open = operatorTopic(services, name);
    if (open === null) {
      throw new Problem(
        'BAD_REQUEST',
        `query.topics: there is no topic ${JSON.stringify(name.slice(0, 60))}. The topics are overview, documents, document:<id>, connectors, connector:<id>, webhooks, webhook:<id>, delivery:<id>, leads, scrape:<id>, sender-account:<id>, bounce-mailboxes, user-file:<id>, queues, queue:<name>, job:<queue>/<id>, schedules, workers and alarms.`,
      );
    }
    assertMay(principal, 'operator-read');
    return { name, key: name, load: await open() };
  });
  return Promise.all(found);
}

/** Null for what is not about a workspace. All streams to which a topic says the same share a question. */
async function workspaceTopic(
  services: Services,
  principal: Principal,
  name: string,
): Promise<Pick<StreamTopic, 'key' | 'load'> | null> {
  const [kind = '', id = null] = name.split(':', 2);
  const topic = WORKSPACE_TOPICS.get(id === null ? kind : `${kind}:<id>`);
  if (!topic) return null;
  assertMay(principal, topic.scope);
  if (topic.plan !== null) await assertPlan(services, principal, topic.plan);
  const look = await topic.open(services, principal, id ?? '');
  return {
    key: `${name} ${principal.workspaceId} ${topic.differsBy(principal)}`,
    load: now(services, look),
  };
}

/** What was there when the stream began may be deleted, or become somebody's private one: nothing more is told then. */
function now({ clock }: Services, look: Look): StreamTopic['load'] {
  return async () => ({ at: clock().toISOString(), ...(await look().catch(goneOrThrow)) });
}

function goneOrThrow(error: unknown): Record<string, unknown> {
  if (error instanceof Problem && error.code === 'NOT_FOUND') return { gone: true };
  throw error;
}

type Load = StreamTopic['load'];

/** Null for a name that no topic has. What it answers throws Problem NOT_FOUND for a thing that is not there. */
function operatorTopic(services: Services, name: string): (() => Promise<Load>) | null {
  const colon = name.indexOf(':');
  const [kind, id] =
    colon === -1 ? [name, ''] : [`${name.slice(0, colon)}:<id>`, name.slice(colon + 1)];
  const open = OPERATOR_TOPICS.get(kind);
  return open ? () => open(services, id) : null;
}

/** By name; `<id>` stands for the part behind the first colon. */
const OPERATOR_TOPICS: ReadonlyMap<string, (services: Services, id: string) => Promise<Load>> =
  new Map([
    ['queues', async (services) => () => queuesBody(services, 'hour')],
    ['queue:<id>', openQueue],
    ['job:<id>', openJob],
    ['workers', async (services) => () => workersBody(services)],
    ['schedules', async (services) => now(services, () => schedulesBody(services))],
    [
      'alarms',
      async (services) => now(services, () => alarmsBody(services, { isOpen: true, before: null })),
    ],
  ] satisfies [string, (services: Services, id: string) => Promise<Load>][]);

async function openQueue(services: Services, name: string): Promise<Load> {
  queueNamed(name);
  return () => queueBody(services, name, 'hour');
}

async function openJob(services: Services, id: string): Promise<Load> {
  const [queue = '', job = ''] = id.split('/', 2);
  const look = () => jobBody(services, queue, job);
  await look();
  return now(services, look);
}
