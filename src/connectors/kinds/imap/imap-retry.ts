import { type ConnectorPage, pageOf } from '#src/connectors/source/connector.ts';
import { accountUrl, documentIdOf, type NamedMessage, parseDocumentId } from './imap-address.ts';
import { addFailure, addMessages, type OpenedAccount } from './imap-messages.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

/**
 * Messages that failed in an earlier run, one page for each.
 * @throws SourceUnavailable after the page that reports the message
 */
export async function* fetchMessagesAgain(
  account: OpenedAccount,
  documentIds: readonly string[],
  mailboxes: readonly string[],
): AsyncGenerator<Omit<ConnectorPage<unknown>, 'checkpoint'>> {
  for (const documentId of documentIds) {
    const page = pageOf({ checkpoint: null, description: 'a message again' });
    const error = await fetchAgain(page, account, documentId, mailboxes);
    yield page;
    if (error) throw error;
  }
}

/** Searches every mailbox for a message, since it may have been moved. If none has it, it is gone. */
async function fetchAgain(
  page: ConnectorPage<null>,
  account: OpenedAccount,
  documentId: string,
  mailboxes: readonly string[],
): Promise<Error | null> {
  // Ids of another account are not ours, whatever their Message-ID.
  const isOurs = documentId.startsWith(`${accountUrl(account.address)}/`);
  const named = isOurs ? parseDocumentId(documentId) : null;
  let refusal: SourceRefused | null = null;
  for (const mailbox of named === null ? [] : mailboxes) {
    try {
      const broken = named && (await addNamed(page, account, mailbox, documentId, named));
      if (broken) return broken;
    } catch (error) {
      if (!(error instanceof SourceRefused)) throw error;
      refusal = error;
    }
    if (page.documents.length + page.failures.length > 0) {
      // A message without a Message-ID may have been recognized as one from an earlier numbering.
      if (page.documents.some(({ id }) => id !== documentId)) page.removed.push(documentId);
      return null;
    }
  }
  if (refusal === null) page.removed.push(documentId);
  else {
    const reason = refusal.message;
    page.failures.push({ documentId, link: null, entityId: null, reason });
  }
  return null;
}

/**
 * @returns what broke the connection while the message was being fetched
 */
async function addNamed(
  page: ConnectorPage<null>,
  account: OpenedAccount,
  mailbox: string,
  documentId: string,
  named: NamedMessage,
): Promise<Error | null> {
  const { session, address, context } = account;
  if ('mailbox' in named && named.mailbox !== mailbox) return null;
  const { uidValidity } = await session.open(mailbox);
  if ('uid' in named && named.uidValidity !== uidValidity) return null;
  const uids = 'uid' in named ? [named.uid] : await session.searchMessageId(named.messageId);
  // Servers also find headers that merely contain the search text.
  const found = (await session.describe(uids)).filter(
    ({ uid, messageId }) =>
      documentIdOf(address, messageId, { mailbox, uidValidity, uid }) === documentId,
  );
  const last = found.at(-1);
  if (!last) return null;
  const box = { mailbox, uidValidity };
  const { broken } = await addMessages(
    page,
    account,
    box,
    [last.uid],
    startPageTime(context.clock),
  );
  if (!broken) return null;
  addFailure(page, account, box, last, broken.error.message);
  return broken.error;
}
