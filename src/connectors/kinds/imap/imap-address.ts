import type { ImapAddress } from '#src/platform/imap-session.ts';

/** Where a message is stored. Under another UIDVALIDITY the UID names another message (RFC 3501 section 2.3.1.1). */
export interface MessagePlace {
  mailbox: string;
  uidValidity: string;
  uid: number;
}

type Account = Pick<ImapAddress, 'host' | 'port' | 'username'>;

/**
 * The id of a message's document: account and `Message-ID`. The document stays the same when the message is moved to
 * another mailbox or is in two, and when a server renumbers its mailboxes. A message without one is identified by its
 * place.
 */
export function documentIdOf(
  account: Account,
  messageId: string | null,
  place: MessagePlace,
): string {
  return messageId === null
    ? messageUrl(account, place)
    : `${accountUrl(account)}/;MESSAGE-ID=${encodeURIComponent(messageId)}`;
}

/** https://www.rfc-editor.org/rfc/rfc5092#section-5 */
export function messageUrl(account: Account, { mailbox, uidValidity, uid }: MessagePlace): string {
  const path = mailbox.split('/').map(encodeURIComponent).join('/');
  return `${accountUrl(account)}/${path};UIDVALIDITY=${uidValidity}/;UID=${uid}`;
}

/**
 * The link in citations of a message: mail programs open `mid:` in whatever mailbox the message is. A link by place
 * would change every document when the server renumbers the mailbox. https://www.rfc-editor.org/rfc/rfc2392
 */
export function messageLink(messageId: string | null, documentId: string): string {
  return messageId === null ? documentId : `mid:${encodeURIComponent(messageId)}`;
}

export type NamedMessage = MessagePlace | { messageId: string };

/** The message that a document id names; null when the id is not one of ours. */
export function parseDocumentId(id: string): NamedMessage | null {
  const byMessageId = /^imap:\/\/[^/]+\/;MESSAGE-ID=([^/;]+)$/.exec(id)?.[1];
  if (byMessageId !== undefined) return { messageId: decodeURIComponent(byMessageId) };
  const match = /^imap:\/\/[^/]+\/(.+);UIDVALIDITY=(\d+)\/;UID=(\d+)$/.exec(id);
  if (!match) return null;
  const [, path = '', uidValidity = '', uid] = match;
  const mailbox = path.split('/').map(decodeURIComponent).join('/');
  return { mailbox, uidValidity, uid: Number(uid) };
}

/** The default ports, which ids omit. */
const USUAL_PORTS = new Set([143, 993]);

/** The common prefix of all ids of an account, without the slash. */
export function accountUrl({ host, port, username }: Account): string {
  const portPart = USUAL_PORTS.has(port) ? '' : `:${port}`;
  return `imap://${encodeURIComponent(username)}@${host.toLowerCase()}${portPart}`;
}
