import { z } from 'zod';
import { ImapFailure, type ImapFailureKind } from '#src/platform/imap-failure.ts';
import type { ImapSession } from '#src/platform/imap-session.ts';
import type { Inbox } from './inbox.ts';
import { TELLTALE_FIELDS } from './looks-like-report.ts';
import { type MailboxErrorClass, MailboxFailure } from './mailbox-failure.ts';

const INBOX = 'INBOX';
/** How far back the first poll looks. Servers retry for about five days (RFC 5321 section 4.5.4.1). */
const FIRST_DAYS = 8;
const DAY_MS = 24 * 3_600_000;

/** UIDs are valid only together with their UIDVALIDITY (RFC 3501 section 2.3.1.1). */
const placeSchema = z.object({ uidValidity: z.string(), uid: z.int().min(0) });

/** A folder of an IMAP account, opened read-only. Positions are UIDs. */
export async function openImapInbox(
  session: ImapSession,
  { folder, now }: { folder: string | null; now: Date },
): Promise<Inbox> {
  const { uidValidity, highestUid } = await translateFailure(session.open(folder ?? INBOX), {
    refused: 'folder_missing',
  });
  let before = 0;
  let highest = highestUid;
  return {
    async newMail(place) {
      const known = placeSchema.safeParse(place);
      const isSame = known.success && known.data.uidValidity === uidValidity;
      before = isSame ? known.data.uid : 0;
      const since = isSame ? null : new Date(now.getTime() - FIRST_DAYS * DAY_MS);
      const uids = await translateFailure(session.searchUids(before, since));
      highest = Math.max(highest, before, uids.at(-1) ?? 0);
      return uids;
    },
    async headers(positions) {
      const found = await translateFailure(session.headers(positions, TELLTALE_FIELDS));
      return found.map(({ uid, header }) => ({ position: uid, header }));
    },
    async source(position, maxBytes) {
      try {
        return await translateFailure(session.source(position, maxBytes));
      } catch (error) {
        // A message that the server refuses must not block those after it.
        if (error instanceof MailboxFailure && error.errorClass === 'unsupported_server')
          return null;
        throw error;
      }
    },
    placeAfter: (position) => ({ uidValidity, uid: position ?? highest }),
    keyOf: (position) => `${uidValidity}:${position}`,
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** Translates IMAP failures into mailbox failures. */
export async function translateFailure<T>(
  work: Promise<T>,
  overrides: Partial<Record<ImapFailureKind, MailboxErrorClass>> = {},
): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof ImapFailure)) throw cause;
    throw new MailboxFailure(overrides[cause.kind] ?? classOf(cause), { cause });
  }
}

function classOf({ kind, words }: ImapFailure): MailboxErrorClass {
  switch (kind) {
    case 'host_refused':
    case 'host_unavailable':
    case 'unresolved':
      return 'dns_error';
    case 'plain_answer':
      return 'tls_mode_mismatch';
    case 'no_greeting':
      return 'timeout';
    case 'tls':
      return /STARTTLS/i.test(words) ? 'starttls_unavailable' : 'tls_failed';
    case 'credential':
      return 'auth_failed';
    case 'refused':
      return 'unsupported_server';
    case 'stopped':
      return words.startsWith('did not answer') ? 'timeout' : 'unsupported_server';
    case 'closed':
      return 'server_busy';
    case 'unavailable':
      return /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|Failed to establish/i.test(words)
        ? 'connection_failed'
        : 'server_busy';
  }
}
