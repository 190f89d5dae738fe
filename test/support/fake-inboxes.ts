import type { Inbox, Inboxes, InboxSettings } from '#src/email/bounces/inbox.ts';
import { headerBlockOf } from '#src/email/bounces/report-fields.ts';

/** A mailbox in memory. Positions are list indexes, starting at 1. */
export interface FakeInboxes extends Inboxes {
  readonly mail: Buffer[];
  readonly opened: InboxSettings[];
  /** Positions of fetched sources. */
  readonly fetched: number[];
  /** Called before a source is fetched, and may throw. */
  onSource: (position: number) => Promise<void> | void;
  /** Thrown when the mailbox is opened. */
  failure: Error | null;
}

export function createFakeInboxes(): FakeInboxes {
  const fake: FakeInboxes = {
    mail: [],
    opened: [],
    fetched: [],
    onSource: () => undefined,
    failure: null,
    open(settings) {
      fake.opened.push(settings);
      return fake.failure === null ? Promise.resolve(inboxOf(fake)) : Promise.reject(fake.failure);
    },
  };
  return fake;
}

function inboxOf(fake: FakeInboxes): Inbox {
  const last = fake.mail.length;
  return {
    newMail(place) {
      const done = typeof place === 'number' ? place : 0;
      const fresh = Array.from({ length: Math.max(0, last - done) }, (_, at) => done + at + 1);
      return Promise.resolve(fresh);
    },
    headers: (positions) =>
      Promise.resolve(
        positions.map((position) => ({
          position,
          header: headerBlockOf((fake.mail[position - 1] ?? '').toString()),
        })),
      ),
    async source(position, maxBytes) {
      await fake.onSource(position);
      fake.fetched.push(position);
      return fake.mail[position - 1]?.subarray(0, maxBytes) ?? null;
    },
    placeAfter: (position) => position ?? last,
    keyOf: (position) => `message ${position}`,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
