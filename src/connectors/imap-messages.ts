import { GiveUp } from '#src/platform/errors.ts';
import { type ConnectorContext, type ConnectorPage, pageOf } from './connector.ts';
import {
  documentIdOf,
  type MessagePlace,
  messageUrl,
  type NamedMessage,
  parseDocumentId,
} from './imap-address.ts';
import type { ImapAddress, ImapSession } from './imap-session.ts';
import { toMailDocument } from './mail-document.ts';
import { SourceRefused } from './source-errors.ts';

const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
const IDS_PER_PORTION = 1_000;

/** A connection with what it was opened for. */
export interface OpenedAccount {
  session: ImapSession;
  address: ImapAddress;
  context: ConnectorContext;
}

type Findings = Pick<ConnectorPage<unknown>, 'documents' | 'failures'>;

/** Reads messages of the open mailbox; those that are gone by now are passed over. */
export async function addMessages(
  page: Findings,
  { session, address, context }: OpenedAccount,
  box: Omit<MessagePlace, 'uid'>,
  uids: readonly number[],
): Promise<void> {
  for (const { uid, bytes, arrivedAt, messageId } of await session.describe(uids)) {
    const place: MessagePlace = { ...box, uid };
    const id = documentIdOf(address, messageId, place);
    const link = messageUrl(address, place);
    const fail = (reason: string): void => {
      page.failures.push({ documentId: id, link, entityId: null, reason });
    };
    if (bytes > MAX_MESSAGE_BYTES) {
      fail(tooLarge(bytes));
      continue;
    }
    const source = await session.source(uid, MAX_MESSAGE_BYTES);
    if (source === null) continue;
    try {
      const message = { id, link, source, arrivedAt, mailbox: box.mailbox };
      page.documents.push(await toMailDocument(message, (file) => context.parse(file)));
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
      fail(error.message);
    }
  }
}

/** Ids of all messages of a mailbox. */
export async function* listMailbox(
  { session, address }: OpenedAccount,
  mailbox: string,
): AsyncGenerator<string[]> {
  const { uidValidity } = await session.open(mailbox);
  const uids = await session.searchUids(0, null);
  for (let start = 0; start < uids.length; start += IDS_PER_PORTION) {
    const portion = await session.describe(uids.slice(start, start + IDS_PER_PORTION));
    yield portion.map(({ uid, messageId }) =>
      documentIdOf(address, messageId, { mailbox, uidValidity, uid }),
    );
  }
}

/** A message is looked for in every mailbox: it may have been moved. In none of them: it is gone. */
export async function fetchMessageAgain(
  account: OpenedAccount,
  documentId: string,
  mailboxes: readonly string[],
): Promise<ConnectorPage<null>> {
  const page = pageOf({ checkpoint: null, description: 'a message again' });
  const named = parseDocumentId(documentId);
  try {
    for (const mailbox of named === null ? [] : mailboxes) {
      if (named && (await addNamed(page, account, mailbox, named))) return page;
    }
    page.removed.push(documentId);
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error;
    page.failures.push({ documentId, link: null, entityId: null, reason: error.message });
  }
  return page;
}

async function addNamed(
  page: Findings,
  account: OpenedAccount,
  mailbox: string,
  named: NamedMessage,
): Promise<boolean> {
  if ('mailbox' in named && named.mailbox !== mailbox) return false;
  const { uidValidity } = await account.session.open(mailbox);
  if ('uid' in named && named.uidValidity !== uidValidity) return false;
  const uids =
    'uid' in named ? [named.uid] : await account.session.searchMessageId(named.messageId);
  await addMessages(page, account, { mailbox, uidValidity }, uids.slice(-1));
  return page.documents.length + page.failures.length > 0;
}

function tooLarge(bytes: number): string {
  const megabytes = (count: number): number => Math.ceil(count / 1024 / 1024);
  return `The message has ${megabytes(bytes)} MB; the limit is ${megabytes(MAX_MESSAGE_BYTES)} MB.`;
}
