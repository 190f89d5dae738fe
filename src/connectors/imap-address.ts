import type { ImapAddress } from './imap-session.ts';

/** Ports that say nothing beyond the protocol. */
const USUAL_PORTS = new Set([143, 993]);

/**
 * The id of a message's document (RFC 5092): it names mailbox, UIDVALIDITY and UID, which never name another message
 * (RFC 3501 section 2.3.1.1). A `Message-ID` would do for messages that are moved, but is missing or double in real
 * mail, and to list them the headers of every message would have to be fetched.
 */
export function messageUrl(
  { host, port, username }: Pick<ImapAddress, 'host' | 'port' | 'username'>,
  mailbox: string,
  uidValidity: string,
  uid: number,
): string {
  const portPart = USUAL_PORTS.has(port) ? '' : `:${port}`;
  const path = mailbox.split('/').map(encodeURIComponent).join('/');
  const authority = `${encodeURIComponent(username)}@${host.toLowerCase()}${portPart}`;
  return `imap://${authority}/${path};UIDVALIDITY=${uidValidity}/;UID=${uid}`;
}

/** Null for what is not such an id. */
export function parseMessageUrl(
  url: string,
): { mailbox: string; uidValidity: string; uid: number } | null {
  const match = /^imap:\/\/[^/]+\/(.+);UIDVALIDITY=(\d+)\/;UID=(\d+)$/.exec(url);
  if (!match) return null;
  const [, path = '', uidValidity = '', uid] = match;
  return {
    mailbox: path.split('/').map(decodeURIComponent).join('/'),
    uidValidity,
    uid: Number(uid),
  };
}
