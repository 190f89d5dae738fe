import { describeError, toProblem } from '#src/api/problem.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import { answerQuestion } from '#src/chat/answer.ts';
import { chatRequestSchema, readChatRequest } from '#src/chat/chat-request.ts';
import { frameAsEvents, frameAsLines } from '#src/chat/frame-lines.ts';
import { chatFullResponseSchema, collectAnswer } from '#src/chat/full-response.ts';
import type { StreamLine } from '#src/chat/packets.ts';
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
    const award = () =>
      services.pointsAwarder.submit({
        workspaceId,
        userId,
        action: 'message',
        sourceId: requestId,
      });
    if (!isStreamed) {
      const response = await collectAnswer(lines);
      if (response.error_msg === null) award();
      return response;
    }
    const awarded = noticingStop(lines, award);
    const parts = framing === 'sse' ? frameAsEvents(awarded) : frameAsLines(awarded);
    return streamReply('text/event-stream; charset=utf-8', parts);
  },
});

/** Passes the lines on. `stop` is the last of a complete answer, which is saved by then; a failed one ends otherwise. */
async function* noticingStop(
  lines: AsyncIterable<StreamLine>,
  onStop: () => void,
): AsyncGenerator<StreamLine, void> {
  for await (const line of lines) {
    if ('obj' in line && line.obj.type === 'stop') onStop();
    yield line;
  }
}

export const chatRoutes: readonly Route[] = [sendChatMessage];
