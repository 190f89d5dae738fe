import { z } from 'zod';
import type { BounceMailboxId } from '#src/ids.ts';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import { applyReturn } from './apply-return.ts';
import { countReturned, mailboxSealedFor } from './bounce-mailboxes.ts';
import type { BounceServices } from './bounce-services.ts';
import {
  type ClaimedMailbox,
  claimMailbox,
  endPoll,
  type PollEnd,
  releaseMailbox,
  saveCursor,
} from './claim-mailbox.ts';
import type { Inbox } from './inbox.ts';
import { looksLikeReport } from './looks-like-report.ts';
import { describeMailboxFailure, MailboxFailure } from './mailbox-failure.ts';
import { EARLY_REPORT_MS, pauseAfterFailure, POLL_EVERY_MS } from './poll-schedule.ts';
import { MAX_REPORT_BYTES } from './report-reader.ts';
import { sendPolls } from './send-polls.ts';

type PollServices = Pick<
  BounceServices,
  'clock' | 'db' | 'inboxes' | 'log' | 'producer' | 'reportReader' | 'secrets'
>;

/** How many headers are fetched at once; the place is saved after each portion. */
const PORTION = 50;
/** The next job continues from there, so that other mailboxes get their turn. */
const MAX_PORTIONS = 20;
/** A message is skipped after breaking the connection this often. */
const MAX_BREAKS = 3;

const cursorSchema = z.object({
  place: z.unknown(),
  /** The message that broke the connection in previous polls, and how often. */
  broken: z.object({ key: z.string(), times: z.int() }).nullable(),
});
type Cursor = z.infer<typeof cursorSchema>;

/** How a poll ended, for its log line. */
type End = 'nothing to do' | 'done' | 'more' | 'early' | 'failed' | 'taken away';

/**
 * Reads the new messages of a bounce mailbox and applies the reports among them. The place is saved only after the
 * reports before it were applied, so an interrupted poll repeats reports, which changes nothing.
 * @throws the signal's reason, or an internal error; the mailbox is then due again at once
 */
export async function pollMailbox(
  services: PollServices,
  id: BounceMailboxId,
  signal: AbortSignal,
): Promise<{ bounceMailboxId: BounceMailboxId; end: End; returned: number }> {
  const mailbox = await claimMailbox(services.db, id);
  if (!mailbox) return { bounceMailboxId: id, end: 'nothing to do', returned: 0 };
  const tally = { returned: 0 };
  let ended: End;
  try {
    ended = await readAndEnd(services, mailbox, tally, signal);
  } catch (error) {
    await leaveMailbox(services, mailbox, tally);
    throw error;
  }
  await countReturned(services.db, id, tally.returned);
  return { bounceMailboxId: id, end: ended, ...tally };
}

async function readAndEnd(
  services: PollServices,
  mailbox: ClaimedMailbox,
  tally: { returned: number },
  signal: AbortSignal,
): Promise<End> {
  const end = await readMailbox(services, mailbox, tally, signal);
  const { nextPollMs, failure } = pollEnd(mailbox, end);
  const isOurs = await endPoll(services.db, mailbox, { nextPollMs, failure });
  if (!isOurs) return 'taken away';
  await sendPolls(services, [mailbox.id], nextPollMs);
  return end instanceof MailboxFailure ? 'failed' : end;
}

/**
 * Never throws, so that the error that ended the poll is the one reported. If the database is away, the claim ends by
 * itself, and the total lacks the messages of this poll.
 */
async function leaveMailbox(
  { db, log }: PollServices,
  mailbox: ClaimedMailbox,
  { returned }: { returned: number },
): Promise<void> {
  const steps = [releaseMailbox(db, mailbox), countReturned(db, mailbox.id, returned)];
  for (const step of await Promise.allSettled(steps)) {
    if (step.status === 'fulfilled') continue;
    log.warn({ error: String(step.reason) }, 'bounce mailbox not released: its claim will expire');
  }
}

type ReadEnd = 'done' | 'more' | 'early' | 'taken away' | MailboxFailure;

function pollEnd(mailbox: ClaimedMailbox, end: ReadEnd): PollEnd {
  if (end instanceof MailboxFailure) {
    const { errorClass } = end;
    const nextPollMs = pauseAfterFailure(errorClass, mailbox.failures + 1);
    return {
      nextPollMs,
      failure: { errorClass, error: describeMailboxFailure(errorClass, mailbox) },
    };
  }
  const pauses = { done: POLL_EVERY_MS, more: 0, early: EARLY_REPORT_MS, 'taken away': 0 };
  return { nextPollMs: pauses[end], failure: null };
}

async function readMailbox(
  services: PollServices,
  mailbox: ClaimedMailbox,
  tally: { returned: number },
  signal: AbortSignal,
): Promise<ReadEnd> {
  try {
    await using inbox = await services.inboxes.open(settingsOf(services, mailbox), signal);
    return await readInbox(services, mailbox, inbox, tally, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MailboxFailure) return error;
    throw error;
  }
}

/** @throws MailboxFailure when the password cannot be opened */
function settingsOf({ secrets }: PollServices, mailbox: ClaimedMailbox) {
  const { kind, host, port, use_tls: useTls, username, folder } = mailbox;
  try {
    const password = secrets.open(mailbox.password, mailboxSealedFor(mailbox.id));
    return { kind, host, port, useTls, username, password, folder };
  } catch (cause) {
    if (!(cause instanceof UnreadableSecret)) throw cause;
    throw new MailboxFailure('password_unreadable', { cause });
  }
}

async function readInbox(
  services: PollServices,
  mailbox: ClaimedMailbox,
  inbox: Inbox,
  tally: { returned: number },
  signal: AbortSignal,
): Promise<ReadEnd> {
  const parsed = cursorSchema.safeParse(mailbox.cursor);
  const cursor: Cursor = parsed.success ? parsed.data : { place: null, broken: null };
  let left = await inbox.newMail(cursor.place);
  for (let portions = 0; left.length > 0; portions += 1) {
    if (portions === MAX_PORTIONS) return 'more';
    const portion = left.slice(0, PORTION);
    const stop = await readPortion(services, { mailbox, inbox, cursor, tally }, portion, signal);
    if (stop !== null) return stop;
    left = left.slice(PORTION);
    const place = inbox.placeAfter(left.length === 0 ? null : (portion.at(-1) ?? null));
    if (!(await saveCursor(services.db, mailbox, { place, broken: null }))) return 'taken away';
  }
  if (cursor.place !== null) return 'done';
  const place = inbox.placeAfter(null);
  return (await saveCursor(services.db, mailbox, { place, broken: null })) ? 'done' : 'taken away';
}

interface Reading {
  mailbox: ClaimedMailbox;
  inbox: Inbox;
  cursor: Cursor;
  tally: { returned: number };
}

/** @returns null when all of it was read */
async function readPortion(
  services: PollServices,
  reading: Reading,
  portion: readonly number[],
  signal: AbortSignal,
): Promise<ReadEnd | null> {
  const { mailbox, inbox, cursor, tally } = reading;
  const headers = await inbox.headers(portion);
  for (const { position, header } of headers) {
    if (!looksLikeReport(header) || isBroken(inbox, cursor, position)) continue;
    signal.throwIfAborted();
    const source = await fetchSource(services, reading, position);
    if (source === null) continue;
    const end = await applyReports(services, mailbox, source, tally, signal);
    if (end === 'early') {
      const place = inbox.placeAfter(position - 1);
      await saveCursor(services.db, mailbox, { place, broken: null });
      return 'early';
    }
  }
  return null;
}

function isBroken(inbox: Inbox, { broken }: Cursor, position: number): boolean {
  return broken !== null && broken.times >= MAX_BREAKS && broken.key === inbox.keyOf(position);
}

/** Records which message broke the connection. */
async function fetchSource(
  { db }: PollServices,
  { mailbox, inbox, cursor }: Reading,
  position: number,
): Promise<Uint8Array | null> {
  try {
    return await inbox.source(position, MAX_REPORT_BYTES);
  } catch (error) {
    if (error instanceof MailboxFailure) {
      const key = inbox.keyOf(position);
      const times = cursor.broken?.key === key ? cursor.broken.times + 1 : 1;
      const place = inbox.placeAfter(position - 1);
      await saveCursor(db, mailbox, { place, broken: { key, times } });
    }
    throw error;
  }
}

async function applyReports(
  services: PollServices,
  mailbox: ClaimedMailbox,
  source: Uint8Array,
  tally: { returned: number },
  signal: AbortSignal,
): Promise<'read' | 'early'> {
  const { workspace_id: workspaceId, email_account_id: emailAccountId } = mailbox;
  const from = { workspaceId, emailAccountId, isTrusted: false };
  const options = { owner: workspaceId, signal };
  for (const report of await services.reportReader.read(source, options)) {
    const end = await applyReturn(services, from, report);
    if (end === 'early') return 'early';
    if (end === 'applied') tally.returned += 1;
  }
  return 'read';
}
