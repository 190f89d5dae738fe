import type { Principal } from '#src/accounts/principal.ts';
import { assertMay, assertPlan } from '#src/api/auth.ts';
import type { StreamTopic } from '#src/operations/live-stream.ts';
import { queueNamed } from '#src/operations/jobs.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { DELIVERIES, type Look, ROWS, RUNS, WORKSPACE_TOPICS } from './live-workspace-topics.ts';
import {
  alarmsBody,
  queueBody,
  queuesBody,
  schedulesBody,
  workersBody,
} from './operations-bodies.ts';

const MAX_TOPICS = 10;
/** The id of a document has up to 2,048 bytes, and each may become three characters. */
export const MAX_TOPICS_LENGTH = 7_000;

export const TOPICS_HELP = `topics are parted by commas, at most ${MAX_TOPICS}: overview; documents, the figures of ingestion; document:<id>, one document with why it is or is not searchable, its id percent-encoded; leads, the latest ${ROWS} scrapes; scrape:<id>, one with its sites and leads; for admins connectors, connector:<id>, one of them with its latest ${RUNS} runs, ${RUNS} failures and its latest prune, webhooks, the endpoints, webhook:<id>, one of them with its latest ${DELIVERIES} deliveries, delivery:<id>, one with its attempts, and sender-account:<id>, one with its latest ${ROWS} messages; for admins of the operator’s workspace queues, queue:<name>, schedules, workers and alarms. Once a thing is gone, its topic says { "gone": true }.`;

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
    const load = operatorTopic(services, name);
    if (load === null) {
      throw new Problem(
        'BAD_REQUEST',
        `query.topics: there is no topic ${JSON.stringify(name.slice(0, 60))}. The topics are overview, documents, document:<id>, connectors, connector:<id>, webhooks, webhook:<id>, delivery:<id>, leads, scrape:<id>, sender-account:<id>, queues, queue:<name>, schedules, workers and alarms.`,
      );
    }
    assertMay(principal, 'operator-read');
    return { name, key: name, load };
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

function operatorTopic(services: Services, name: string): StreamTopic['load'] | null {
  switch (name) {
    case 'queues':
      return () => queuesBody(services, 'hour');
    case 'workers':
      return () => workersBody(services);
    case 'schedules':
      return now(services, () => schedulesBody(services));
    case 'alarms':
      return now(services, () => alarmsBody(services, { isOpen: true, before: null }));
  }
  const queue = /^queue:([a-z0-9-]{1,50})$/.exec(name)?.[1];
  if (queue === undefined) return null;
  queueNamed(queue);
  return () => queueBody(services, queue, 'hour');
}
