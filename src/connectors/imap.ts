import { z } from 'zod';
import {
  type AnyConnector,
  type ConnectorContext,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from './connector.ts';
import { type ImapMailbox, type ImapSession, openImapSession } from './imap-session.ts';
import {
  addressOf,
  type ImapCredential,
  imapCredential,
  type ImapSettings,
  imapSettings,
} from './imap-settings.ts';
import {
  addMessages,
  fetchMessageAgain,
  listMailbox,
  type OpenedAccount,
} from './imap-messages.ts';
import { SourceRefused } from './source-errors.ts';

const MESSAGES_PER_PAGE = 25;
const DAY_MS = 24 * 3_600_000;

const imapCheckpoint = z.object({
  mailbox: z.string(),
  uidValidity: z.string(),
  /** Up to which the messages of the mailbox are done. */
  uid: z.int().min(0),
});
type Checkpoint = z.infer<typeof imapCheckpoint>;

const highestSchema = z.object({ uidValidity: z.string(), uid: z.int() });

/**
 * The messages of a mailbox by IMAP4rev1. UIDs only grow, so each run takes what is above the highest one of the run
 * before, whatever dates the messages bear.
 *
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
    const session = await openImapSession(address, context, { allowPlaintext });
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
      for (const id of documentIds) yield await fetchMessageAgain(opened, id, mailboxes);
    },
  });
}

export const imap = createImapConnector();

/** Views on messages that are elsewhere, and what nobody wants to find again (RFC 6154). */
const LEFT_OUT = new Set(['\\Trash', '\\Junk', '\\Flagged', '\\Important']);

/** In the order in which they are read. A mailbox of all mail holds what the others hold, so it is read alone. */
async function chosenMailboxes(session: ImapSession, settings: ImapSettings): Promise<string[]> {
  if (settings.mailboxes !== null) return [...new Set(settings.mailboxes)].toSorted(byCodeUnits);
  const selectable = (await session.mailboxes()).filter(({ isSelectable }) => isSelectable);
  const all = selectable.filter(({ specialUse }) => specialUse === '\\All');
  const chosen: ImapMailbox[] =
    all.length > 0 ? all : selectable.filter(({ specialUse }) => !LEFT_OUT.has(specialUse ?? ''));
  // Every account has an INBOX: to take an empty list for the truth would prune all that is indexed.
  if (chosen.length === 0) throw new SourceRefused(`${settings.host} lists no mailbox to read.`);
  return chosen.map(({ path }) => path).toSorted(byCodeUnits);
}

function byCodeUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Ends with a page that remembers how far the mailbox was read, be it an empty one. */
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
      checkpoint: { mailbox, uidValidity: '', uid: 0 },
      description: `${mailbox} cannot be opened`,
      failures: [{ documentId: null, link: null, entityId: mailbox, reason: error.message }],
    });
    return;
  }
  const window = await findWindow(mailbox, uidValidity, context);
  // Another UIDVALIDITY: the UIDs of the checkpoint name nothing any more.
  const reached = checkpoint?.uidValidity === uidValidity ? checkpoint.uid : 0;
  const after = Math.max(window.after, reached);
  const uids = await session.searchUids(after, window.since);
  // Those that are older than the first run reaches are done as well.
  const highest = Math.max(after, highestUid, uids.at(-1) ?? 0);
  for (let start = 0; start === 0 || start < uids.length; start += MESSAGES_PER_PAGE) {
    const portion = uids.slice(start, start + MESSAGES_PER_PAGE);
    const done = start + portion.length;
    const page = pageOf<Checkpoint>({
      checkpoint: { mailbox, uidValidity, uid: portion.at(-1) ?? after },
      description: `${mailbox}, ${done} of ${uids.length} messages`,
    });
    await addMessages(page, opened, { mailbox, uidValidity }, portion);
    page.memory.push(window.firstSince);
    if (done >= uids.length) {
      const value = { uidValidity, uid: highest };
      page.memory.push({ key: highestKey(mailbox), documentId: null, value });
    }
    yield page;
  }
}

/**
 * Which messages of a mailbox are new. Without memory of the mailbox, the beginning of the pair's first run counts:
 * a mailbox that was made since may hold old messages that were moved there.
 */
async function findWindow(mailbox: string, uidValidity: string, context: PollContext) {
  const key = highestKey(mailbox);
  const known = context.since === null ? null : await context.recall([key, FIRST_SINCE]);
  const first = known?.has(FIRST_SINCE) ? known.get(FIRST_SINCE) : context.since?.toISOString();
  const firstSince = { key: FIRST_SINCE, documentId: null, value: first ?? null };
  const highest = highestSchema.safeParse(known?.get(key));
  if (highest.success) {
    const after = highest.data.uidValidity === uidValidity ? highest.data.uid : 0;
    return { after, since: null, firstSince };
  }
  // Servers compare days in zones of their own.
  const since = typeof first === 'string' ? new Date(Date.parse(first) - DAY_MS) : null;
  return { after: 0, since, firstSince };
}

const FIRST_SINCE = 'first-since';

function highestKey(mailbox: string): string {
  return `highest:${mailbox}`;
}
