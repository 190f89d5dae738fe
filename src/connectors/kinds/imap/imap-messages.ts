import { GiveUp } from '#src/platform/errors.ts';
import type { ConnectorContext, ConnectorPage } from '#src/connectors/source/connector.ts';
import { documentIdOf, messageLink, type MessagePlace } from './imap-address.ts';
import type { ImapAddress, ImapSession, MessageSummary } from '#src/platform/imap-session.ts';
import { toMailDocument } from './mail-document.ts';
import { nameByContent, recallNames } from './messages-without-id.ts';
import type { PageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
const IDS_PER_PORTION = 1_000;
/** Fewer refused messages say nothing about the mailbox as a whole. */
const ALL_REFUSED_MIN = 3;

/** A connection and the account that it was opened for. */
export interface OpenedAccount {
  session: ImapSession;
  address: ImapAddress;
  context: ConnectorContext;
}

export type Mailbox = Omit<MessagePlace, 'uid'>;
export type Findings = Pick<ConnectorPage<unknown>, 'documents' | 'failures' | 'memory'>;

/** The message being fetched when the connection broke. */
export interface BrokenAt {
  message: MessageSummary;
  error: SourceUnavailable;
}

/**
 * Reads messages of the open mailbox, skipping those that are gone by now. A message that the server refuses is a
 * failure of its own.
 * @returns where it stopped: `next` is the first UID not examined, because the time was up or the connection broke;
 * null after the last one
 * @throws SourceRefused when several are refused and none succeeds
 */
export async function addMessages(
  page: Findings,
  account: OpenedAccount,
  box: Mailbox,
  uids: readonly number[],
  time: PageTime,
): Promise<{ next: number | null; broken: BrokenAt | null }> {
  const refused: SourceRefused[] = [];
  const messages = await account.session.describe(uids);
  for (const [index, message] of messages.entries()) {
    if (index > 0 && time.isOver()) return { next: message.uid, broken: null };
    try {
      await addMessage(page, account, box, message);
    } catch (error) {
      if (error instanceof SourceUnavailable) {
        return { next: message.uid, broken: { message, error } };
      }
      if (!(error instanceof SourceRefused)) throw error;
      refused.push(error);
      addFailure(page, account, box, message, error.message);
    }
  }
  const [first] = refused;
  if (first && refused.length === messages.length && refused.length >= ALL_REFUSED_MIN) throw first;
  return { next: null, broken: null };
}

async function addMessage(
  page: Findings,
  account: OpenedAccount,
  box: Mailbox,
  message: MessageSummary,
): Promise<void> {
  const { session, address, context } = account;
  const { uid, bytes, arrivedAt, messageId } = message;
  if (bytes > MAX_MESSAGE_BYTES) {
    addFailure(page, account, box, message, tooLarge(bytes));
    return;
  }
  const source = await session.source(uid, MAX_MESSAGE_BYTES);
  if (source === null) return;
  const place: MessagePlace = { ...box, uid };
  const { id, memory } =
    messageId === null
      ? await nameByContent(account, place, source)
      : { id: documentIdOf(address, messageId, place), memory: null };
  try {
    const link = messageLink(messageId, id);
    const found = { id, link, source, arrivedAt, mailbox: box.mailbox };
    page.documents.push(await toMailDocument(found, (file) => context.parse(file)));
    if (memory) page.memory.push(memory);
  } catch (error) {
    if (!(error instanceof GiveUp)) throw error;
    addFailure(page, account, box, message, error.message);
  }
}

export function addFailure(
  page: Findings,
  { address }: OpenedAccount,
  box: Mailbox,
  { uid, messageId }: MessageSummary,
  reason: string,
): void {
  const place: MessagePlace = { ...box, uid };
  const documentId = documentIdOf(address, messageId, place);
  const link = messageLink(messageId, documentId);
  page.failures.push({ documentId, link, entityId: null, reason });
}

/** Ids of all messages of a mailbox. */
export async function* listMailbox(
  account: OpenedAccount,
  mailbox: string,
): AsyncGenerator<string[]> {
  const { session, address } = account;
  const { uidValidity } = await session.open(mailbox);
  const uids = await session.searchUids(0, null);
  for (let start = 0; start < uids.length; start += IDS_PER_PORTION) {
    const portion = await session.describe(uids.slice(start, start + IDS_PER_PORTION));
    const placeOf = ({ uid }: MessageSummary): MessagePlace => ({ mailbox, uidValidity, uid });
    const nameless = portion.filter(({ messageId }) => messageId === null);
    const nameOf = await recallNames(account, nameless.map(placeOf));
    yield portion.map((message) =>
      message.messageId === null
        ? nameOf(placeOf(message))
        : documentIdOf(address, message.messageId, placeOf(message)),
    );
  }
}

function tooLarge(bytes: number): string {
  const megabytes = (count: number): number => Math.ceil(count / 1024 / 1024);
  return `The message has ${megabytes(bytes)} MB; the limit is ${megabytes(MAX_MESSAGE_BYTES)} MB.`;
}
