import { z } from 'zod';
import { withStatus } from '#src/api/reply.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { createSession } from '#src/chat/sessions/create-session.ts';
import { deleteSession } from '#src/chat/sessions/delete-sessions.ts';
import {
  listSessionSummaries,
  summariesQuerySchema,
} from '#src/chat/sessions/list-session-summaries.ts';
import { sessionIdOf } from '#src/chat/sessions/session-ids.ts';
import { titleField } from '#src/chat/sessions/session-title.ts';

const CHAT = { tag: 'Chat', family: 'reference' } as const;
const PATH = '/chat/session';

const sessionFields = {
  session_id: z.string(),
  title: z.string().describe('The first words of the first question until it has one.'),
  created_at: z.iso.datetime(),
};

export const referenceSessionRoutes: Route[] = [
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'GET',
    path: PATH,
    summary: 'List your chat sessions, last used first',
    description:
      'total counts all of them. When there are more than limit, the header Link names the next page.',
    query: summariesQuerySchema,
    reply: z.object({
      sessions: z.array(
        z.object({
          ...sessionFields,
          last_message_at: z.iso.datetime(),
          message_count: z.int(),
        }),
      ),
      total: z.int(),
    }),
    async handle({ services, principal, query }) {
      const { summaries, total, nextCursor } = await listSessionSummaries(
        services.db,
        principal,
        query,
      );
      const sessions = summaries.map((summary) => ({
        session_id: summary.sessionId,
        title: summary.title,
        created_at: summary.createdAt.toISOString(),
        last_message_at: summary.lastMessageAt.toISOString(),
        message_count: summary.messageCount,
      }));
      // RFC 8288; the address is relative to the request's URL.
      const next = `<?limit=${query.limit}&cursor=${nextCursor}>; rel="next"`;
      return withStatus(200, { sessions, total }, nextCursor === null ? {} : { Link: next });
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'POST',
    path: PATH,
    summary: 'Make a chat session',
    body: z.object({ title: titleField.nullish() }),
    reply: z.object(sessionFields),
    async handle({ services, principal, body }) {
      const now = services.clock();
      const title = body.title ?? null;
      const request = { agentId: 0, projectId: null, title };
      const id = await createSession(services.db, principal, request, now);
      return { session_id: id, title: title ?? '', created_at: now.toISOString() };
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'DELETE',
    path: `${PATH}/{session_id}`,
    summary: 'Delete a chat session with its messages, for good',
    params: z.object({ session_id: z.string() }),
    reply: z.object({ status: z.literal('deleted'), session_id: z.string() }),
    async handle({ services, principal, params }) {
      const { workspaceId, userId } = principal;
      const id = sessionIdOf(params.session_id);
      const how = { isFinal: true, now: services.clock() };
      await deleteSession(services.db, { workspaceId, userId, id }, how);
      return { status: 'deleted' as const, session_id: id };
    },
  }),
];
