import { z } from 'zod';
import { isStillCaller } from '#src/accounts/is-still-caller.ts';
import type { Principal } from '#src/accounts/principal.ts';
import { assertMay } from '#src/api/auth.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { findDocument } from '#src/documents/store.ts';
import { explainDocument } from '#src/operations/explain-document.ts';
import { streamLive, type StreamTopic } from '#src/operations/live-stream.ts';
import { readOverview } from '#src/operations/overview.ts';
import { listPauses } from '#src/operations/pauses.ts';
import { assertQueue } from '#src/operations/queue-board.ts';
import { listProcesses, servingOf } from '#src/operations/worker-processes.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { alarmsBody, queueBody, queuesBody, workersBody } from './operations-bodies.ts';

const OVERVIEW = { tag: 'Overview', family: 'platform', scope: 'read' } as const;
const timestamp = z.iso.datetime();
const subject = z.object({ kind: z.string(), id: z.string() });

const overviewSchema = z.object({
  at: timestamp,
  documents: z.object({
    accepted: z.int(),
    indexing: z.int(),
    indexed: z.int(),
    failed: z.int(),
    deleting: z.int(),
    indexed_per_minute: z.int(),
    oldest_pending_seconds: z.number().nullable(),
  }),
  searches_per_minute: z.int(),
  answers_per_minute: z.int(),
  deliveries: z.object({
    pending: z.int(),
    delivered_last_day: z.int(),
    failed_last_day: z.int(),
  }),
  failures_last_day: z.array(z.object({ kind: z.string(), count: z.int() })),
  attention: z.array(
    z.object({
      level: z.enum(['danger', 'warning']),
      kind: z.string(),
      text: z.string(),
      since: timestamp,
      subject,
    }),
  ),
});

export const liveRoutes: Route[] = [
  defineRoute({
    ...OVERVIEW,
    method: 'GET',
    path: '/overview',
    summary: 'What the workspace does, and what needs somebody',
    description: 'For admins of the operator’s workspace also the alarms of the queues.',
    reply: overviewSchema,
    handle: ({ services, principal }) => readOverview(services, viewerOf(principal)),
  }),
  defineRoute({
    ...OVERVIEW,
    method: 'GET',
    path: '/documents/{document_id}/why',
    summary: 'Why a document is, or is not, searchable',
    params: z.object({ document_id: z.string() }),
    reply: z.object({
      document_id: z.string(),
      searchable: z.boolean(),
      status: z.string(),
      sentence: z.string(),
      since: timestamp,
    }),
    async handle({ services, principal, params }) {
      const { db, clock } = services;
      const document = await findDocument(db, principal, params.document_id);
      if (!document) throw unknownDocument(params.document_id);
      const now = clock();
      const pauses = await listPauses(db);
      const { searchable, sentence, since } = explainDocument(document, {
        now,
        workers: servingOf(await listProcesses(db, now), 'document-index').workers,
        isPaused: pauses.some(({ queue }) => queue === 'document-index'),
      });
      return {
        document_id: document.external_id,
        searchable,
        status: document.status,
        sentence,
        since: since.toISOString(),
      };
    },
  }),
  defineRoute({
    ...OVERVIEW,
    scope: 'any',
    method: 'GET',
    path: '/live',
    summary: 'The states of pages as server-sent events',
    description:
      'topics are parted by commas, at most 10: overview; and for admins of the operator’s workspace queues, queue:<name>, workers and alarms. Each event has the name of its topic, and the answer of the address of the same name as data. It comes at first and then after changes, at most every 2 seconds. A client that comes back with Last-Event-ID gets what has changed since. Streams end after 15 minutes, and within seconds of the key or the session, or of a change of the role.',
    produces: ['text/event-stream'],
    query: z.object({ topics: z.string().max(500) }),
    requestHeaders: [
      {
        name: 'Last-Event-ID',
        description: 'Id of the last event that was seen.',
        required: false,
      },
    ],
    reply: z.unknown(),
    handle({ services, principal, query, headers, signal }) {
      const topics = topicsOf(services, principal, query.topics);
      const seen = headers['last-event-id'];
      const parts = streamLive(services.liveHub, topics, {
        reader: {
          userId: principal.userId,
          credential: `${principal.keyId ?? principal.sessionId} ${principal.userId} ${principal.role}`,
          isStill: () => isStillCaller(services.db, principal),
        },
        seen: typeof seen === 'string' ? seen : null,
        signal,
      });
      return streamReply('text/event-stream', parts);
    },
  }),
];

const MAX_TOPICS = 10;

/** @throws Problem BAD_REQUEST for an unknown topic, UNAUTHORIZED for one of the operators */
function topicsOf(services: Services, principal: Principal, text: string): StreamTopic[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  if (names.length > MAX_TOPICS) {
    throw new Problem('BAD_REQUEST', `query.topics: name at most ${MAX_TOPICS} topics.`);
  }
  return names.map((name) => {
    if (name === 'overview') {
      assertMay(principal, 'read');
      const viewer = viewerOf(principal);
      const key = `overview ${viewer.workspaceId} ${viewer.isOperator}`;
      return { name, key, load: () => readOverview(services, viewer) };
    }
    const load = operatorTopic(services, name);
    if (load === null) {
      throw new Problem(
        'BAD_REQUEST',
        `query.topics: there is no topic ${JSON.stringify(name.slice(0, 60))}. The topics are overview, queues, queue:<name>, workers and alarms.`,
      );
    }
    assertMay(principal, 'operator-read');
    return { name, key: name, load };
  });
}

function operatorTopic(services: Services, name: string): StreamTopic['load'] | null {
  switch (name) {
    case 'queues':
      return () => queuesBody(services, 'hour');
    case 'workers':
      return () => workersBody(services);
    case 'alarms':
      return async () => ({
        at: services.clock().toISOString(),
        ...(await alarmsBody(services, { isOpen: true, before: null })),
      });
  }
  const queue = /^queue:([a-z0-9-]{1,50})$/.exec(name)?.[1];
  if (queue === undefined) return null;
  assertQueue(queue);
  return () => queueBody(services, queue, 'hour');
}

function viewerOf({ workspaceId, role, isBootstrapWorkspace }: Principal) {
  return { workspaceId, isOperator: role === 'admin' && isBootstrapWorkspace };
}

function unknownDocument(id: string): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no document ${JSON.stringify(id.slice(0, 100))} in this workspace that you may see. It was never accepted, or it was deleted.`,
  );
}
