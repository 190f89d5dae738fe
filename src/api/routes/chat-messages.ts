import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { giveFeedback, removeFeedback } from '#src/chat/sessions/feedback.ts';
import { showBranchOf } from '#src/chat/sessions/latest-message.ts';
import { numericId, queryId } from '#src/chat/sessions/session-ids.ts';
import { cleanText } from '#src/documents/clean-text.ts';

const CHAT = { tag: 'Chat', family: 'platform' } as const;

const words = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .nullish()
    .transform((text) => cleanText(text ?? '').trim() || null);

const feedbackSchema = z
  .object({
    chat_message_id: numericId,
    is_positive: z.boolean().nullish(),
    feedback_text: words(10_000),
    predefined_feedback: words(500),
  })
  .refine(
    ({ is_positive: isPositive, feedback_text: text }) =>
      (isPositive ?? null) !== null || text !== null,
    { path: ['is_positive'], message: 'is needed, or feedback_text.' },
  );

export const chatMessageRoutes: Route[] = [
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'POST',
    path: '/chat/create-chat-message-feedback',
    summary: 'Say what you think of an answer',
    description: 'It takes the place of what you said before.',
    body: feedbackSchema,
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      const feedback = {
        isPositive: body.is_positive ?? null,
        text: body.feedback_text,
        predefined: body.predefined_feedback,
      };
      await giveFeedback(services.db, principal, body.chat_message_id, {
        feedback,
        now: services.clock(),
      });
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'read',
    method: 'DELETE',
    path: '/chat/remove-chat-message-feedback',
    summary: 'Take back what you said of an answer',
    query: z.object({ chat_message_id: queryId }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, query }) {
      await removeFeedback(services.db, principal, query.chat_message_id);
      return null;
    },
  }),
  defineRoute({
    ...CHAT,
    scope: 'member',
    method: 'PUT',
    path: '/chat/set-message-as-latest',
    summary: 'Show the branch of a chat session that a message is on',
    description: 'The next message that names no parent continues that branch.',
    body: z.object({ message_id: numericId }),
    reply: z.null(),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, body }) {
      await showBranchOf(services.db, principal, body.message_id);
      return null;
    },
  }),
];
