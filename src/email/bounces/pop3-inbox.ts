import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Inbox, InboxHeader } from './inbox.ts';
import type { Pop3Session } from './pop3-session.ts';

/** Only this many of the newest messages are considered. */
const MAX_REMEMBERED = 5_000;
/** The first poll reads only the newest messages. */
const MAX_FIRST = 500;
const MAX_HEADER_BYTES = 64 * 1024;
/** Lines of a report that are read: enough for the headers of the returned message. */
const REPORT_LINES = 5_000;

/** The messages seen before. POP3 renumbers messages in each session, so their unique ids are kept. */
const placeSchema = z.object({ seen: z.array(z.string().max(20)).max(MAX_REMEMBERED) });

/** A POP3 mailbox. Positions are the message numbers of this session, which grow with the time of arrival. */
export async function openPop3Inbox(session: Pop3Session): Promise<Inbox> {
  const ids = await session.ids();
  const listed = [...ids]
    .map(([position, id]) => ({ position, key: keyOf(id) }))
    .toSorted((left, right) => left.position - right.position)
    .slice(-MAX_REMEMBERED);
  const keys = new Map(listed.map(({ position, key }) => [position, key]));
  let seen = new Set<string>();
  return {
    newMail(place) {
      const known = placeSchema.safeParse(place);
      const before = known.success ? known.data.seen : listed.slice(0, -MAX_FIRST).map(keyIn);
      seen = new Set(before);
      const fresh = listed.filter(({ key }) => !seen.has(key));
      return Promise.resolve(fresh.map(({ position }) => position));
    },
    async headers(positions) {
      const found: InboxHeader[] = [];
      for (const position of positions) {
        const header = await session.top(position, 0, MAX_HEADER_BYTES);
        if (header !== null) found.push({ position, header: header.toString('latin1') });
      }
      return found;
    },
    source: (position, maxBytes) => session.top(position, REPORT_LINES, maxBytes),
    placeAfter(position) {
      const done = listed.filter(
        (message) => seen.has(message.key) || position === null || message.position <= position,
      );
      return { seen: done.map(keyIn) };
    },
    keyOf: (position) => keys.get(position) ?? '',
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** Bounds the size of the stored place, however long the server's ids are. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 12);
}

function keyIn({ key }: { key: string }): string {
  return key;
}
