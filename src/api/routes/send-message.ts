import { z } from 'zod';
import { parsePart } from '#src/platform/parse-part.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { watchForStop, startChat } from '#src/api/start-chat.ts';
import { streamReply } from '#src/api/stream-reply.ts';
import type { ChatRequest } from '#src/chat/request/chat-request.ts';
import { frameAsEvents, frameAsLines } from '#src/chat/stream/frame-lines.ts';
import { frameAsReference } from '#src/chat/stream/frame-reference.ts';
import { collectAnswer } from '#src/chat/stream/full-response.ts';
import {
  legacyMessageSchema,
  readLegacyMessage,
  readSimpleMessage,
  readSimpleWithHistory,
  simpleAnswerSchema,
  simpleMessageSchema,
  simpleWithHistorySchema,
  toSimpleAnswer,
} from '#src/chat/request/legacy-request.ts';
import {
  isLegacyMessage,
  readReferenceMessage,
  referenceMessageSchema,
} from '#src/chat/request/reference-request.ts';

const SUCCESSOR = '/chat/send-chat-message';

const sendMessage = defineRoute({
  method: 'POST',
  path: '/chat/send-message',
  summary: 'Ask a question in a session',
  description:
    'Answers JSON lines: `{"type": "chunk", "content"}` for each piece, then `{"type": "done", "message_id", "citations"}` with `{doc_id, title, page}`; a failure after the first piece is a line `{"type": "error", "error_code", "detail", "request_id"}`. `[n]` in the text is the n-th of the citations. A body with `search_doc_ids`, `retrieval_options` or `parent_message_id` is the earlier shape of `POST /chat/send-chat-message`: it is answered with packets, and with a `Deprecation` header.',
  tag: 'Chat',
  family: 'reference',
  scope: 'read',
  produces: ['application/x-ndjson', 'text/event-stream'],
  errors: ['NOT_FOUND', 'BAD_GATEWAY'],
  deprecation: { successor: SUCCESSOR, appliesTo: isLegacyMessage },
  // The keys of a body determine which of the two shapes it has; it is validated only then, so that errors name its own
  // fields.
  body: z.union([z.looseObject({}), referenceMessageSchema, legacyMessageSchema]),
  reply: z.string(),
  async handle(request) {
    const { body, services, signal, framing, requestId } = request;
    if (isLegacyMessage(body)) {
      const legacy = parsePart('body', legacyMessageSchema, body);
      // `parsePart` has validated it against this same schema.
      const asked = readLegacyMessage(legacy as z.output<typeof legacyMessageSchema>);
      const { run, award } = await startChat(request, asked);
      const lines = watchForStop(run.follow(0, signal), award);
      const parts = framing === 'sse' ? frameAsEvents(lines) : frameAsLines(lines);
      return streamReply('text/event-stream; charset=utf-8', parts);
    }
    const message = parsePart('body', referenceMessageSchema, body);
    const asked = readReferenceMessage(
      message as z.output<typeof referenceMessageSchema>, // validated in the same way
      services.chatModels,
    );
    const { run, award } = await startChat(request, asked);
    const lines = watchForStop(run.follow(0, signal), award);
    return streamReply('application/x-ndjson; charset=utf-8', frameAsReference(lines, requestId));
  },
});

const SIMPLE = {
  tag: 'Chat',
  family: 'platform',
  scope: 'read',
  method: 'POST',
  errors: ['NOT_FOUND'],
  deprecation: { successor: SUCCESSOR },
} as const;

const sendSimple = defineRoute({
  ...SIMPLE,
  path: '/chat/send-message-simple-api',
  summary: 'Ask a question, answered whole (deprecated)',
  description:
    'Use `POST /chat/send-chat-message` with `stream: false`. Answers carry `Deprecation` and `Link` headers.',
  body: simpleMessageSchema,
  reply: simpleAnswerSchema,
  handle: (request) => answerSimply(request, readSimpleMessage(request.body)),
});

const sendSimpleWithHistory = defineRoute({
  ...SIMPLE,
  path: '/chat/send-message-simple-with-history',
  summary: 'Ask a question with a conversation of one’s own, answered whole (deprecated)',
  description:
    'The messages before the last are used for this answer and not stored. Use `POST /chat/send-chat-message` with `additional_context`.',
  body: simpleWithHistorySchema,
  bodyLimits: { bytes: 4_000_000, values: 20_000 },
  reply: simpleAnswerSchema,
  handle: (request) => answerSimply(request, readSimpleWithHistory(request.body)),
});

async function answerSimply(call: Parameters<typeof startChat>[0], request: ChatRequest) {
  const { run, award } = await startChat(call, request);
  const response = await collectAnswer(run.follow(0, call.signal));
  if (response.error_msg === null) award();
  return toSimpleAnswer(response);
}

export const sendMessageRoutes: readonly Route[] = [sendMessage, sendSimple, sendSimpleWithHistory];
