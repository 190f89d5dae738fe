import type { ImapAddress } from './imap-session.ts';

/** Where a message lies. Another UIDVALIDITY makes the UID that of another message (RFC 3501 section 2.3.1.1). */
export interface MessagePlace {
  mailbox: string;
  uidValidity: string;
  uid: number;
}

type Account = Pick<ImapAddress, 'host' | 'port' | 'username'>;

/**
 * The id of a message's document: account and `Message-ID`, so that a message stays the same document when it is
 * moved to another mailbox, when it lies in two, and when a server numbers its mailboxes anew. Those without one are
 * named by their place.
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
 * Where a citation of a message leads: programs for mail open `mid:`, in whatever mailbox the message lies. A link with
 * the place of a message would make all of them changed documents when the server numbers the mailbox anew.
 * https://www.rfc-editor.org/rfc/rfc2392
 */
export function messageLink(messageId: string | null, documentId: string): string {
  return messageId === null ? documentId : `mid:${encodeURIComponent(messageId)}`;
}

export type NamedMessage = MessagePlace | { messageId: string };

/** What a document id names; null when it is none of ours. */
export function parseDocumentId(id: string): NamedMessage | null {
  const byMessageId = /^imap:\/\/[^/]+\/;MESSAGE-ID=([^/;]+)$/.exec(id)?.[1];
  if (byMessageId !== undefined) return { messageId: decodeURIComponent(byMessageId) };
  const match = /^imap:\/\/[^/]+\/(.+);UIDVALIDITY=(\d+)\/;UID=(\d+)$/.exec(id);
  if (!match) return null;
  const [, path = '', uidValidity = '', uid] = match;
  const mailbox = path.split('/').map(decodeURIComponent).join('/');
  return { mailbox, uidValidity, uid: Number(uid) };
}

/** Ports that say nothing beyond the protocol. */
const USUAL_PORTS = new Set([143, 993]);

/** What all ids of an account begin with, but for a slash. */
export function accountUrl({ host, port, username }: Account): string {
  const portPart = USUAL_PORTS.has(port) ? '' : `:${port}`;
  return `imap://${encodeURIComponent(username)}@${host.toLowerCase()}${portPart}`;
}

/** Longer ones are no names but mistakes. */
const MAX_ID_LENGTH = 500;

/**
 * The `Message-ID` of a header block without its angle brackets; null when there is none.
 * https://www.rfc-editor.org/rfc/rfc5322#section-3.6.4
 */
export function messageIdOf(header: string): string | null {
  const unfolded = header.replaceAll(/\r?\n(?=[ \t])/g, '');
  const value = /^message-id[ \t]*:(.*)$/im.exec(unfolded)?.[1]?.trim() ?? '';
  const id = /<([^<>]+)>/.exec(value)?.[1]?.trim() ?? value;
  return id === '' || id.length > MAX_ID_LENGTH ? null : id;
}
