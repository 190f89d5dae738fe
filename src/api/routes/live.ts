import { z } from 'zod';
import { isStillCaller } from '#src/accounts/is-still-caller.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { findDocument } from '#src/documents/store.ts';
import { streamLive } from '#src/operations/live-stream.ts';
import { readOverview } from '#src/operations/overview.ts';
import { MAX_TOPICS_LENGTH, TOPICS_HELP, topicsOf } from './live-topics.ts';
import { viewerOf } from './live-workspace-topics.ts';
import { unknownDocument, whyBody } from './why-body.ts';

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
  failures_last_day: z.array(z.object({ kind: z.string(), count: z.int(), last_at: timestamp })),
  minutes: z
    .object({ indexed: z.array(z.int()), searches: z.array(z.int()) })
    .describe('Of each of the last 60 minutes, oldest first.'),
  failures_by_hour: z.array(z.int()).describe('Of each of the last 24 hours, oldest first.'),
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
    scope: 'read-or-ingest',
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
      const document = await findDocument(services.db, principal, params.document_id);
      if (!document) throw unknownDocument(params.document_id);
      return whyBody(services, document);
    },
  }),
  defineRoute({
    ...OVERVIEW,
    scope: 'any',
    method: 'GET',
    path: '/live',
    summary: 'The states of pages as server-sent events',
    description: `${TOPICS_HELP} Each event has the name of its topic, and the answer of the address of the same name as data, with at. It comes at first and then after changes, at most every 2 seconds. A client that comes back with Last-Event-ID gets what has changed since. Streams end after 15 minutes, and within seconds of the key or the session, or of a change of the role.`,
    produces: ['text/event-stream'],
    query: z.object({ topics: z.string().max(MAX_TOPICS_LENGTH) }),
    requestHeaders: [
      {
        name: 'Last-Event-ID',
        description: 'Id of the last event that was seen.',
        required: false,
      },
    ],
    reply: z.unknown(),
    async handle({ services, principal, query, headers, signal }) {
      const topics = await topicsOf(services, principal, query.topics);
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
