import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import {
  asksForStream,
  chatRequestSchema,
  readChatRequest,
} from '#src/chat/request/chat-request.ts';
import { frameAsEvents, frameAsLines } from '#src/chat/stream/frame-lines.ts';
import { chatFullResponseSchema, collectAnswer } from '#src/chat/stream/full-response.ts';
import type { StreamLine } from '#src/chat/wire/packets.ts';
import { followRun } from '#src/chat/runs/follow-run.ts';
import { stopRuns } from '#src/chat/runs/stop-run.ts';
import { watchForStop, startChat } from '#src/api/start-chat.ts';
import type { ChatSessionId } from '#src/ids.ts';

const CHAT = { tag: 'Chat', family: 'platform', scope: 'read' } as const;
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

const sessionParams = z.object({
  chat_session_id: z.guid().transform((id) => id as ChatSessionId),
});

const sendChatMessage = defineRoute({
  ...CHAT,
  method: 'POST',
  path: '/chat/send-chat-message',
  summary: 'Ask a question',
  description:
    'One JSON object; with `stream: true` packets, as server-sent events with ids. Under `/api` packets are bare JSON lines, and come also when `stream` is left out and the body holds more than `message`. What a request names wrongly, such as a model, a session or a tool, is refused before anything is streamed. An answer ends when its client goes away; what there is of it is saved.',
  produces: ['application/json', 'text/event-stream'],
  errors: ['NOT_FOUND'],
  body: chatRequestSchema,
  reply: chatFullResponseSchema,
  handle: async (request) => {
    const { run, award } = await startChat(request, readChatRequest(request.body));
    const lines = run.follow(0, request.signal);
    if (!asksForStream(request.body, request.framing)) {
      const response = await collectAnswer(lines);
      if (response.error_msg === null) award();
      return response;
    }
    return framed(watchForStop(lines, award), request.framing, 0);
  },
});

const stopChatSession = defineRoute({
  ...CHAT,
  method: 'POST',
  path: '/chat/stop-chat-session/{chat_session_id}',
  summary: 'Stop the answer that is being written',
  description:
    'What there is of it is kept, and its stream ends with `stop` and the reason `user_cancelled`. Does nothing when no answer is being written.',
  params: sessionParams,
  errors: ['NOT_FOUND'],
  reply: z.object({ message: z.string() }),
  async handle({ services, principal, params }) {
    await stopRuns(services, principal, params.chat_session_id);
    return { message: 'Chat session stopped' };
  },
});

const resumeStream = defineRoute({
  ...CHAT,
  method: 'GET',
  path: '/chat/chat-session/{chat_session_id}/resume-stream',
  summary: 'Follow the answer that is being written',
  description:
    'The lines of the latest answer from `cursor` on, then those to come, in the framing of `send-chat-message`. An `EventSource` that reconnects names its last event in `Last-Event-ID`, which counts instead of `cursor`. The last line is a `stop` or an `error`. An answer goes on for `CHAT_RESUME_SECONDS` after its last reader left; its lines are kept for ten minutes after its end.',
  params: sessionParams,
  query: z.object({
    cursor: z.coerce
      .number()
      .int()
      .min(0)
      .max(10_000_000)
      .default(0)
      .describe('How many lines the caller has: the id of the last event and one.'),
  }),
  requestHeaders: [
    { name: 'Last-Event-ID', description: 'Id of the last event that was seen.', required: false },
  ],
  produces: ['text/event-stream'],
  errors: ['NOT_FOUND'],
  reply: z.string(),
  async handle({ services, principal, params, query, headers, signal, framing }) {
    const cursor = cursorAfter(headers['last-event-id']) ?? query.cursor;
    const sessionId = params.chat_session_id;
    const lines = await followRun(services, principal, { sessionId, cursor, signal });
    return framed(lines, framing, cursor);
  },
});

function framed(lines: AsyncIterable<StreamLine>, framing: 'sse' | 'lines', firstIndex: number) {
  const parts = framing === 'sse' ? frameAsEvents(lines, { firstIndex }) : frameAsLines(lines);
  return streamReply(EVENT_STREAM, parts);
}

function cursorAfter(lastEventId: string | string[] | undefined): number | null {
  const id = typeof lastEventId === 'string' ? lastEventId.trim() : '';
  return /^\d{1,7}$/.test(id) ? Number(id) + 1 : null;
}

export const chatRoutes: readonly Route[] = [sendChatMessage, stopChatSession, resumeStream];
