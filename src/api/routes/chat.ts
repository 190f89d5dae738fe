import { describeError, toProblem } from '#src/api/problem.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { answerQuestion } from '#src/chat/answer.ts';
import { chatRequestSchema, readChatRequest } from '#src/chat/chat-request.ts';
import { frameAsEvents, frameAsLines } from '#src/chat/frame-lines.ts';
import { chatFullResponseSchema, collectAnswer } from '#src/chat/full-response.ts';
import { createInternalSearch } from '#src/chat/tools/internal-search.ts';
import { withSpellings } from '#src/connectors/source-spellings.ts';
import { searchDocuments } from '#src/documents/search.ts';

const sendChatMessage = defineRoute({
  method: 'POST',
  path: '/chat/send-chat-message',
  summary: 'Ask a question over the index',
  description:
    'One JSON object when `stream` is false or the body holds `message` alone; otherwise packets, as server-sent events (as bare JSON lines under `/api`).',
  tag: 'Chat',
  family: 'platform',
  scope: 'read',
  produces: ['application/json', 'text/event-stream'],
  errors: ['NOT_FOUND'],
  body: chatRequestSchema,
  reply: chatFullResponseSchema,
  handle: async ({ services, principal, body, signal, framing, requestId }) => {
    const { workspaceId, userId } = principal;
    const { filters, isSearchAllowed, isStreamed, ...asked } = readChatRequest(body);
    const search = createInternalSearch((query, limit, searchSignal) =>
      searchDocuments(services, {
        workspaceId,
        userId,
        query,
        filters: withSpellings(filters),
        limit,
        signal: searchSignal,
      }),
    );
    const lines = answerQuestion(services, {
      ...asked,
      owner: principal,
      search: isSearchAllowed ? search : null,
      signal,
      describeFailure: (error) => {
        const problem = toProblem(error);
        // The stream has begun, so the application's own log line will show a success.
        if (problem.code === 'INTERNAL_SERVER_ERROR')
          services.log.error({ requestId, failure: describeError(error) }, 'answer failed');
        return problem;
      },
    });
    if (!isStreamed) return collectAnswer(lines);
    const parts = framing === 'sse' ? frameAsEvents(lines) : frameAsLines(lines);
    return streamReply('text/event-stream; charset=utf-8', parts);
  },
});

export const chatRoutes: readonly Route[] = [sendChatMessage];
