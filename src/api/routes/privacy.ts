import { z } from 'zod';
import { contentReply } from '#src/api/reply.ts';
import { ROUTE_LIMIT } from '#src/api/read-body.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { eraseMessages } from '#src/email/erase-messages.ts';
import { eraseLeads } from '#src/leads/scrapes/erase-leads.ts';
import {
  doNotContactIdOf,
  extendDoNotContact,
  listDoNotContact,
  removeDoNotContact,
} from '#src/outreach/list-do-not-contact.ts';
import {
  encodeEntriesCursor,
  entriesOf,
  entriesQuerySchema,
  entrySchema,
  erasureSchema,
  newEntriesSchema,
  presentEntry,
} from '#src/outreach/privacy-request.ts';
import { readUnsubscription, unsubscribe } from '#src/outreach/unsubscribe.ts';
import { UNSUBSCRIBE_PAGE_HEADERS, unsubscribePage } from '#src/outreach/unsubscribe-page.ts';

const PRIVACY = { tag: 'Privacy', family: 'reference' } as const;
/** Mail providers send `List-Unsubscribe=One-Click`, browsers submit the button. */
const MAX_UNSUBSCRIBE_BYTES = 10_000;

const entries = z.array(entrySchema);

export const privacyRoutes: Route[] = [
  defineRoute({
    ...PRIVACY,
    scope: 'read',
    method: 'GET',
    path: '/do-not-contact',
    summary: 'List who is not to be contacted, newest first',
    description:
      'Scrapes leave them out of their leads, and no message is sent to them. next_cursor is null on the last page.',
    query: entriesQuerySchema,
    reply: z.object({ do_not_contact: entries, next_cursor: z.string().nullable() }),
    async handle({ services, principal, query }) {
      const { limit, kind = null, reason = null, value = null, cursor: before = null } = query;
      const found = await listDoNotContact(services.db, principal.workspaceId, {
        kind,
        reason,
        value,
        limit,
        before,
      });
      const next = found.nextBefore;
      return {
        do_not_contact: found.entries.map(presentEntry),
        next_cursor: next === null ? null : encodeEntriesCursor(next),
      };
    },
  }),
  defineRoute({
    ...PRIVACY,
    scope: 'member',
    method: 'POST',
    path: '/do-not-contact',
    summary: 'Add addresses and domains that are not to be contacted',
    description:
      'Those that are listed already stay as they are. Answers all that were sent, as they stand on the list. At most 1,000 in a request, and 100,000 on the list.',
    body: newEntriesSchema,
    reply: z.object({ do_not_contact: entries }),
    errors: ['CONFLICT'],
    async handle({ services, principal, body }) {
      const added = await services.db.transaction().execute((trx) =>
        extendDoNotContact(trx, principal.workspaceId, entriesOf(body), {
          reason: 'manual',
          note: body.note ?? '',
        }),
      );
      return { do_not_contact: added.map(presentEntry) };
    },
  }),
  defineRoute({
    ...PRIVACY,
    scope: 'admin',
    method: 'DELETE',
    path: '/do-not-contact/{id}',
    summary: 'Take an entry off the do-not-contact list',
    params: z.object({ id: z.string() }),
    reply: z.object({ status: z.literal('deleted'), id: z.int() }),
    async handle({ services, principal, params }) {
      const id = doNotContactIdOf(params.id);
      await removeDoNotContact(services.db, principal.workspaceId, id);
      return { status: 'deleted' as const, id };
    },
  }),
  defineRoute({
    ...PRIVACY,
    scope: 'admin',
    method: 'POST',
    path: '/privacy/erase',
    summary: 'Erase what is stored of addresses and domains',
    description:
      'Deletes the leads that hold one of them, and takes recipient and content out of the messages that were sent to them. An organisation that has other addresses only loses the one that is named. Documents of the index are not touched. At most 1,000 in a request.',
    body: erasureSchema,
    reply: z.object({
      leads_deleted: z.int().describe('Organisations that only lost an address are counted, too.'),
      messages_redacted: z.int(),
      do_not_contact: z.int().describe('How many of them stand on the do-not-contact list now.'),
    }),
    errors: ['CONFLICT'],
    async handle({ services, principal, body }) {
      const { workspaceId } = principal;
      return services.db.transaction().execute(async (trx) => {
        // First, so that any scrape that reads the list from now on skips them.
        const listed = body.do_not_contact
          ? await extendDoNotContact(trx, workspaceId, entriesOf(body), { reason: 'erased' })
          : [];
        return {
          leads_deleted: await eraseLeads(trx, workspaceId, body),
          messages_redacted: await eraseMessages(trx, workspaceId, body),
          do_not_contact: listed.length,
        };
      });
    },
  }),
  defineRoute({
    ...PRIVACY,
    scope: 'public',
    method: 'GET',
    path: '/unsubscribe/{token}',
    summary: 'A page on which the recipient of a message unsubscribes',
    description: 'The link in a message. Opening it changes nothing; its button does.',
    params: z.object({ token: z.string() }),
    produces: ['text/html'],
    reply: z.string(),
    handle({ services, params }) {
      const { email } = readUnsubscription(services, params.token);
      return contentReply('text/html; charset=utf-8', unsubscribePage(email), {
        ...UNSUBSCRIBE_PAGE_HEADERS,
      });
    },
  }),
  defineRoute({
    ...PRIVACY,
    scope: 'public',
    method: 'POST',
    path: '/unsubscribe/{token}',
    summary: 'Unsubscribe the recipient of a message, at one click (RFC 8058)',
    description:
      'For mail providers, which send List-Unsubscribe=One-Click, and for the page of the same address. Any body of up to 10 KB will do. Asked again, it says the same.',
    params: z.object({ token: z.string() }),
    produces: ['text/plain'],
    reply: z.string(),
    errors: ['PAYLOAD_TOO_LARGE'],
    async handle({ services, params, incoming }) {
      await incoming.bytes(MAX_UNSUBSCRIBE_BYTES, ROUTE_LIMIT);
      await unsubscribe(services, params.token);
      return contentReply(
        'text/plain; charset=utf-8',
        'You are unsubscribed: this sender does not write to you any more.\n',
        { ...UNSUBSCRIBE_PAGE_HEADERS },
      );
    },
  }),
];
