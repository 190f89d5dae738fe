import { z } from 'zod';
import {
  type AnyConnector,
  type ConnectorContext,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import type { ImapMailbox, ImapSession } from '#src/platform/imap-session.ts';
import { openImapSource } from './open-imap-source.ts';
import {
  addressOf,
  type ImapCredential,
  imapCredential,
  type ImapSettings,
  imapSettings,
} from './imap-settings.ts';
import { fetchMessagesAgain } from './imap-retry.ts';
import {
  addFailure,
  addMessages,
  type BrokenAt,
  type Findings,
  listMailbox,
  type Mailbox,
  type OpenedAccount,
} from './imap-messages.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

const MESSAGES_PER_PAGE = 25;
const DAY_MS = 24 * 3_600_000;

const imapCheckpoint = z.object({
  mailbox: z.string(),
  uidValidity: z.string(),
  /** The messages of the mailbox up to this UID are done. */
  uid: z.int().min(0),
  /** The message at which the connection broke, and how many messages in a row broke it before that. */
  broken: z.object({ uid: z.int(), before: z.int() }).nullable(),
});
type Checkpoint = z.infer<typeof imapCheckpoint>;

const highestSchema = z.object({ uidValidity: z.string(), uid: z.int() });

/**
 * The messages of a mailbox by IMAP4rev1. UIDs only grow, so each run reads the UIDs above the previous run's
 * highest, whatever the dates of the messages.
 * https://www.rfc-editor.org/rfc/rfc3501
 */
export function createImapConnector(options: { allowPlaintext?: boolean } = {}): AnyConnector {
  const { allowPlaintext = false } = options;
  const open = async (
    settings: ImapSettings,
    credential: ImapCredential,
    context: ConnectorContext,
  ): Promise<OpenedAccount & AsyncDisposable> => {
    const address = addressOf(settings, credential);
    const session = await openImapSource(address, context, { allowPlaintext });
    return {
      session,
      address,
      context,
      [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
    };
  };
  return defineConnector({
    kind: 'imap',
    aliases: [],
    title: 'IMAP mailbox',
    summary: 'The messages of a mailbox, with the text of their attachments.',
    settings: imapSettings,
    credential: imapCredential,
    checkpoint: imapCheckpoint,
    limits: { concurrentRequests: 1, requestsPerSecond: null, documentsPerPage: MESSAGES_PER_PAGE },
    defaultRefreshSeconds: 30 * 60,
    async check(settings, credential, context) {
      await using opened = await open(settings, credential, context);
      const [first = 'INBOX'] = await chosenMailboxes(opened.session, settings);
      for (const mailbox of settings.mailboxes ?? [first]) await opened.session.open(mailbox);
    },
    async *poll(settings, credential, checkpoint, context) {
      await using opened = await open(settings, credential, context);
      for (const mailbox of await chosenMailboxes(opened.session, settings)) {
        if (checkpoint && mailbox < checkpoint.mailbox) continue;
        const from = checkpoint?.mailbox === mailbox ? checkpoint : null;
        yield* pollMailbox(opened, mailbox, from, context);
      }
    },
    async *listIds(settings, credential, context) {
      await using opened = await open(settings, credential, context);
      for (const mailbox of await chosenMailboxes(opened.session, settings)) {
        yield* listMailbox(opened, mailbox);
      }
    },
    async *fetchAgain(settings, credential, documentIds, context) {
      await using opened = await open(settings, credential, context);
      const mailboxes = await chosenMailboxes(opened.session, settings);
      yield* fetchMessagesAgain(opened, documentIds, mailboxes);
    },
  });
}

export const imap = createImapConnector();

/** Views of messages stored elsewhere, and mailboxes that are useless in a search (RFC 6154). */
const LEFT_OUT = new Set(['\\Trash', '\\Junk', '\\Flagged', '\\Important']);

/** In reading order. An all-mail mailbox holds everything the others hold, so only that one is read. */
async function chosenMailboxes(session: ImapSession, settings: ImapSettings): Promise<string[]> {
  if (settings.mailboxes !== null) return [...new Set(settings.mailboxes)].toSorted(byCodeUnits);
  const selectable = (await session.mailboxes()).filter(({ isSelectable }) => isSelectable);
  const all = selectable.filter(({ specialUse }) => specialUse === '\\All');
  const chosen: ImapMailbox[] =
    all.length > 0 ? all : selectable.filter(({ specialUse }) => !LEFT_OUT.has(specialUse ?? ''));
  // Every account has an INBOX: believing an empty list would prune everything indexed.
  if (chosen.length === 0) throw new SourceRefused(`${settings.host} lists no mailbox to read.`);
  return chosen.map(({ path }) => path).toSorted(byCodeUnits);
}

function byCodeUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** After this many messages in a row have broken the connection, the server is considered faulty. */
const MAX_BROKEN_IN_A_ROW = 3;

/** Ends with a page, possibly empty, that remembers how far the mailbox was read. */
async function* pollMailbox(
  opened: OpenedAccount,
  mailbox: string,
  checkpoint: Checkpoint | null,
  context: PollContext,
): AsyncGenerator<ConnectorPage<Checkpoint>> {
  const { session } = opened;
  let uidValidity: string;
  let highestUid: number;
  try {
    ({ uidValidity, highestUid } = await session.open(mailbox));
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error;
    yield pageOf<Checkpoint>({
      checkpoint: { mailbox, uidValidity: '', uid: 0, broken: null },
      description: `${mailbox} cannot be opened`,
      failures: [{ documentId: null, link: null, entityId: mailbox, reason: error.message }],
    });
    return;
  }
  const window = await findWindow(mailbox, uidValidity, context);
  // Under another UIDVALIDITY, the UIDs of the checkpoint mean nothing.
  const isSame = checkpoint?.uidValidity === uidValidity;
  const after = Math.max(window.after, isSame ? checkpoint.uid : 0);
  let brokenBefore = isSame ? checkpoint.broken : null;
  let uids = await session.searchUids(after, window.since);
  const total = uids.length;
  // Messages older than the first run's start are done as well.
  const highest = Math.max(after, highestUid, uids.at(-1) ?? 0);
  let done = after;
  do {
    const portion = uids.slice(0, MESSAGES_PER_PAGE);
    const page = pageOf<Checkpoint>({
      checkpoint: { mailbox, uidValidity, uid: done, broken: null },
      description: mailbox,
      memory: [window.firstMemory],
    });
    const box = { mailbox, uidValidity };
    const time = startPageTime(context.clock);
    const { next, broken } = await addMessages(page, opened, box, portion, time);
    const count = next === null ? portion.length : portion.findIndex((uid) => uid >= next);
    done = portion.slice(0, count).at(-1) ?? done;
    uids = uids.slice(count);
    page.description = `${mailbox}, ${total - uids.length} of ${total} messages`;
    page.checkpoint.uid = done;
    if (broken) {
      const isFirst = page.documents.length > 0 || brokenBefore === null;
      yield brokenPage(page, opened, box, broken, isFirst ? null : brokenBefore);
      throw broken.error;
    }
    brokenBefore = null;
    if (uids.length === 0) {
      const value = { uidValidity, uid: highest };
      page.memory.push({ key: highestKey(mailbox), documentId: null, value });
    }
    yield page;
  } while (uids.length > 0);
}

/**
 * A message may be what breaks the connection each time. If it broke it before, the message is recorded as a failure,
 * and the run continues after it.
 * @throws the cause, when it is not a matter of single messages
 */
function brokenPage(
  page: ConnectorPage<Checkpoint> & Findings,
  opened: OpenedAccount,
  box: Mailbox,
  { message, error }: BrokenAt,
  before: Checkpoint['broken'],
): ConnectorPage<Checkpoint> {
  const { uid } = message;
  if (before?.uid !== uid) {
    return {
      ...page,
      checkpoint: { ...page.checkpoint, broken: { uid, before: before?.before ?? 0 } },
    };
  }
  if (before.before >= MAX_BROKEN_IN_A_ROW) throw error;
  addFailure(page, opened, box, message, error.message);
  // No message has the UID 0: the next one gets two tries of its own.
  const broken = { uid: 0, before: before.before + 1 };
  return { ...page, checkpoint: { ...page.checkpoint, uid, broken } };
}

/**
 * Which messages of a mailbox are new. When nothing is remembered of the mailbox, the start of the pair's first run
 * counts: a mailbox created since may hold old messages that were moved there.
 */
async function findWindow(mailbox: string, uidValidity: string, context: PollContext) {
  const key = highestKey(mailbox);
  const { since: first, memory: firstMemory } = await findFirstSince(context);
  const highest = highestSchema.safeParse((await context.recall([key])).get(key));
  if (highest.success) {
    const after = highest.data.uidValidity === uidValidity ? highest.data.uid : 0;
    return { after, since: null, firstMemory };
  }
  // Servers compare days in their own time zones.
  const since = first === null ? null : new Date(first.getTime() - DAY_MS);
  return { after: 0, since, firstMemory };
}

function highestKey(mailbox: string): string {
  return `highest:${mailbox}`;
}
