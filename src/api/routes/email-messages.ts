import { z } from 'zod';
import { readIdempotencyKey } from '#src/api/idempotency-key.ts';
import { PREFER_HEADER, PREFERENCE_APPLIED, prefersAsync } from '#src/api/prefer-async.ts';
import { laterReply } from '#src/api/reply.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { emailAddress } from '#src/email/administration/account-request.ts';
import { findVerification } from '#src/email/administration/find-verification.ts';
import { messagesQuerySchema } from '#src/email/administration/message-query.ts';
import { findMessage, listMessages } from '#src/email/administration/messages.ts';
import { accountIdOf, messageIdOf, verificationIdOf } from '#src/email/path-ids.ts';
import {
  assertSent,
  messageSchema,
  presentMessage,
  presentVerification,
  verificationSchema,
} from '#src/email/administration/present-message.ts';
import { requestSend } from '#src/email/administration/request-send.ts';
import { requestVerification } from '#src/email/administration/request-verification.ts';
import { newMessageSchema } from '#src/email/administration/send-request.ts';
import { waitUntilFinished } from '#src/email/administration/wait-for-message.ts';

const MESSAGES = { tag: 'Email accounts', family: 'reference', plan: 'Personal' } as const;

export const emailMessageRoutes: Route[] = [
  defineRoute({
    ...MESSAGES,
    scope: 'admin',
    method: 'POST',
    path: '/email-accounts/{id}/verify',
    summary: 'Verify a sender account: send a test message through it',
    description:
      'Waits up to 20 s for the outcome. A check that failed is a 200 with verified: false, error_class and the remedy in message. Beyond 20 s, or with Prefer: respond-async, the answer is 202 and status_url tells how it goes. Who asks at the same time, or within a minute after a test message went out to the same recipient, gets the answer of that one. Up to five a minute and account; each counts on daily_sent.',
    params: z.object({ id: z.string() }),
    body: z.strictObject({ test_recipient: emailAddress.describe('Gets the test message.') }),
    requestHeaders: [PREFER_HEADER],
    reply: verificationSchema,
    laterReply: verificationSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, headers, requestId, signal }) {
      const { workspaceId, userId } = principal;
      const isAsync = prefersAsync(headers);
      const id = await requestVerification(
        services,
        { workspaceId, id: accountIdOf(params.id) },
        { userId, recipient: body.test_recipient, requestId },
      );
      const found = await waitUntilFinished(services, { workspaceId, id }, { isAsync, signal });
      const answer = presentVerification(found);
      return found.finished_at === null
        ? laterReply(answer, isAsync ? PREFERENCE_APPLIED : {})
        : answer;
    },
  }),
  defineRoute({
    ...MESSAGES,
    scope: 'read',
    method: 'GET',
    path: '/email-accounts/{id}/verifications/{verification_id}',
    summary: 'How a verification stands',
    params: z.object({ id: z.string(), verification_id: z.string() }),
    reply: verificationSchema,
    async handle({ services, principal, params }) {
      const { workspaceId } = principal;
      const accountId = accountIdOf(params.id);
      const id = verificationIdOf(params.verification_id);
      return presentVerification(
        await findVerification(services.db, { workspaceId, accountId, id }),
      );
    },
  }),
  defineRoute({
    ...MESSAGES,
    scope: 'member',
    method: 'POST',
    path: '/email-accounts/{id}/send',
    summary: 'Send one message through a verified sender account',
    description:
      'Waits up to 20 s for the server to take it. 202 when that is not done yet, as when the server asks to come back later: it goes on by itself and status_url tells how. 502 when it was not sent, or when the connection was lost while the server had it and it may have been sent; such a one is never repeated by itself. Each message has List-Unsubscribe headers for one click (RFC 8058); whoever uses them is on the do-not-contact list, and who is on it is refused with 409. Counts on daily_sent; above daily_limit the answer is 429. Content is deleted when the message is finished.',
    params: z.object({ id: z.string() }),
    body: newMessageSchema,
    requestHeaders: [
      {
        name: 'Idempotency-Key',
        description:
          'Recommended. Names the message: the same key with the same body gets the same message again and sends it once; with another body it is a 409. Up to 255 visible ASCII characters; known as long as the message is kept.',
        required: false,
      },
      PREFER_HEADER,
    ],
    reply: messageSchema,
    laterReply: messageSchema,
    errors: ['CONFLICT', 'BAD_GATEWAY'],
    async handle({ services, principal, params, body, headers, requestId, signal }) {
      const { workspaceId, userId } = principal;
      const isAsync = prefersAsync(headers);
      const idempotencyKey = readIdempotencyKey(headers);
      const id = await requestSend(
        services,
        { workspaceId, id: accountIdOf(params.id) },
        { userId, message: body, idempotencyKey, requestId },
      );
      const found = await waitUntilFinished(services, { workspaceId, id }, { isAsync, signal });
      assertSent(found);
      const answer = presentMessage(found);
      return found.finished_at === null
        ? laterReply(answer, isAsync ? PREFERENCE_APPLIED : {})
        : answer;
    },
  }),
  defineRoute({
    ...MESSAGES,
    scope: 'read',
    method: 'GET',
    path: '/email-messages',
    summary: 'List messages through the sender accounts, newest first',
    description:
      'Verifications are among them. What a message says is not kept. next_cursor is null on the last page.',
    query: messagesQuerySchema,
    reply: z.object({ messages: z.array(messageSchema), next_cursor: z.string().nullable() }),
    async handle({ services, principal, query }) {
      const { db } = services;
      const { messages, nextCursor } = await listMessages(db, principal.workspaceId, query);
      return { messages: messages.map(presentMessage), next_cursor: nextCursor };
    },
  }),
  defineRoute({
    ...MESSAGES,
    scope: 'read',
    method: 'GET',
    path: '/email-messages/{message_id}',
    summary: 'A message and how it stands',
    params: z.object({ message_id: z.string() }),
    reply: messageSchema,
    async handle({ services, principal, params }) {
      const address = {
        workspaceId: principal.workspaceId,
        id: messageIdOf(params.message_id),
      };
      return presentMessage(await findMessage(services.db, address));
    },
  }),
];
