import { z } from 'zod';
import { ROUTE_LIMIT } from '#src/api/read-body.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import {
  bounceMailboxChangeSchema,
  newBounceMailboxSchema,
} from '#src/email/administration/bounce-mailbox-request.ts';
import { changeBounceMailbox } from '#src/email/administration/change-bounce-mailbox.ts';
import { createBounceMailbox } from '#src/email/administration/create-bounce-mailbox.ts';
import { deleteBounceMailbox } from '#src/email/administration/delete-bounce-mailbox.ts';
import { pollNow } from '#src/email/administration/poll-now.ts';
import {
  bounceMailboxSchema,
  presentBounceMailbox,
} from '#src/email/administration/present-bounce-mailbox.ts';
import { findBounceMailbox, listBounceMailboxes } from '#src/email/bounces/bounce-mailboxes.ts';
import { findWebhook, receiveReports } from '#src/email/bounces/receive-reports.ts';
import { bounceMailboxIdOf } from '#src/email/path-ids.ts';
import { baseUrlOf } from '#src/platform/base-url.ts';

const BOUNCES = { tag: 'Email accounts', family: 'reference' } as const;
const MAILBOXES = { ...BOUNCES, plan: 'Personal', scope: 'admin' } as const;
const MAX_REPORT_BYTES = 2_000_000;

const oneMailbox = z.object({ id: z.string() });

export const bounceMailboxRoutes: Route[] = [
  defineRoute({
    ...MAILBOXES,
    method: 'POST',
    path: '/bounce-mailboxes',
    summary: 'Add a mailbox or webhook for returned mail',
    description:
      'An IMAP or POP3 mailbox is polled at once and then every five minutes, and nothing in it is changed; last_polled_at and error show whether it works. A webhook has a URL to which a mail provider posts; it is shown only once. Reports end a message as bounced or complained; dead addresses and complaints are added to the do-not-contact list. At most 50 per workspace.',
    body: newBounceMailboxSchema,
    reply: bounceMailboxSchema.extend({
      report_url: z
        .string()
        .nullable()
        .describe('For a webhook: a secret URL, shown only once. Null for a mailbox.'),
    }),
    errors: ['CONFLICT'],
    async handle({ services, principal, body, signal }) {
      const { mailbox, token } = await createBounceMailbox(
        services,
        principal.workspaceId,
        body,
        signal,
      );
      const url = token === null ? null : `${baseUrlOf(services.config)}/returned-mail/${token}`;
      return { ...presentBounceMailbox(mailbox), report_url: url };
    },
  }),
  defineRoute({
    ...MAILBOXES,
    scope: 'read',
    method: 'GET',
    path: '/bounce-mailboxes',
    summary: 'List bounce mailboxes, oldest first',
    reply: z.object({ bounce_mailboxes: z.array(bounceMailboxSchema), total: z.int() }),
    async handle({ services, principal }) {
      const found = await listBounceMailboxes(services.db, principal.workspaceId);
      return { bounce_mailboxes: found.map(presentBounceMailbox), total: found.length };
    },
  }),
  defineRoute({
    ...MAILBOXES,
    scope: 'read',
    method: 'GET',
    path: '/bounce-mailboxes/{id}',
    summary: 'A bounce mailbox and its status',
    params: oneMailbox,
    reply: bounceMailboxSchema,
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: bounceMailboxIdOf(params.id) };
      return presentBounceMailbox(await findBounceMailbox(services.db, address));
    },
  }),
  defineRoute({
    ...MAILBOXES,
    method: 'PATCH',
    path: '/bounce-mailboxes/{id}',
    summary: 'Change a bounce mailbox, and poll it at once',
    description:
      'Omitted fields stay unchanged. A new host or port requires the password. After a new host, port, user name or folder, the mailbox is read from its beginning. A webhook has no settings to change.',
    params: oneMailbox,
    body: bounceMailboxChangeSchema,
    reply: bounceMailboxSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params, body, signal }) {
      const address = { workspaceId: principal.workspaceId, id: bounceMailboxIdOf(params.id) };
      return presentBounceMailbox(await changeBounceMailbox(services, address, body, signal));
    },
  }),
  defineRoute({
    ...MAILBOXES,
    method: 'DELETE',
    path: '/bounce-mailboxes/{id}',
    summary: 'Delete a bounce mailbox and its password; its mail is kept',
    params: oneMailbox,
    reply: z.object({ status: z.literal('deleted'), id: z.string() }),
    async handle({ services, principal, params }) {
      const id = bounceMailboxIdOf(params.id);
      await deleteBounceMailbox(services.db, { workspaceId: principal.workspaceId, id });
      return { status: 'deleted' as const, id };
    },
  }),
  defineRoute({
    ...MAILBOXES,
    method: 'POST',
    path: '/bounce-mailboxes/{id}/poll',
    status: 202,
    summary: 'Poll a bounce mailbox now',
    description:
      'At the earliest 10 s after the last poll. last_polled_at of GET /bounce-mailboxes/{id} shows when it is done.',
    params: oneMailbox,
    reply: bounceMailboxSchema,
    errors: ['CONFLICT'],
    async handle({ services, principal, params }) {
      const address = { workspaceId: principal.workspaceId, id: bounceMailboxIdOf(params.id) };
      return presentBounceMailbox(await pollNow(services, address));
    },
  }),
  defineRoute({
    ...BOUNCES,
    scope: 'public',
    method: 'POST',
    path: '/returned-mail/{token}',
    summary: 'Receive reports of returned mail from a mail provider',
    description:
      'The report_url of a bounce mailbox of the kind webhook: anyone who knows it may post. Accepts the events of Amazon SES (through SNS, whose subscription it confirms), Mailgun, Postmark and SendGrid, a returned message as message/rfc822, and the format below. Repeating a report changes nothing. 503 asks to post again in a minute.',
    params: z.object({ token: z.string() }),
    accepts: ['application/json', 'message/rfc822', 'text/plain'],
    rawBody: true,
    body: z.object({
      reports: z.array(
        z.object({
          kind: z.enum(['bounced', 'complained']),
          message_id: z.string().nullish().describe('Message-ID of the returned message.'),
          recipient: z.string().nullish(),
          status_code: z
            .string()
            .nullish()
            .describe('Enhanced status code (RFC 3463), such as 5.1.1.'),
          diagnostic: z.string().nullish().describe("The reply of the recipient's server."),
        }),
      ),
    }),
    reply: z.object({
      returned: z.int().describe('Number of messages ended.'),
      ignored: z.int().describe('Number of reports without effect.'),
    }),
    errors: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'BAD_GATEWAY', 'SERVICE_UNAVAILABLE'],
    async handle({ services, params, incoming, signal }) {
      const mailbox = await findWebhook(services.db, params.token);
      const bytes = await incoming.bytes(MAX_REPORT_BYTES, ROUTE_LIMIT);
      const { mediaType } = incoming;
      const { returned, ignored } = await receiveReports(services, mailbox, {
        mediaType,
        bytes,
        signal,
      });
      return { returned, ignored };
    },
  }),
];
