import PostalMime, { type Address, type Attachment, type Email, type Mailbox } from 'postal-mime';
import { GiveUp } from '#src/platform/errors.ts';
import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';
import type { ConnectorContext, ConnectorDocument } from '#src/connectors/source/connector.ts';
import { readableName } from '#src/connectors/source/readable-file.ts';

const MAX_ATTACHMENTS = 20;
/** The parser takes as long for a line as for a page of text; 25 MB in Base64 are 350,000 lines. */
const MAX_LINES = 400_000;
const LINE_END = 0x0a;
const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;

/**
 * A message as a document: its text, then the text of its attachments. An unreadable attachment is named in the
 * metadata, with the reason.
 * https://www.rfc-editor.org/rfc/rfc5322
 * @throws GiveUp when it is not a message
 */
export async function toMailDocument(
  message: {
    id: string;
    link: string;
    source: Uint8Array;
    arrivedAt: Date | null;
    mailbox: string;
  },
  parse: ConnectorContext['parse'],
): Promise<ConnectorDocument> {
  const { id, link, source, arrivedAt, mailbox } = message;
  const email = await readEmail(source);
  const subject = email.subject?.trim() || '(no subject)';
  const body = await bodyOf(email, parse);
  const attached = await readAttachments(email.attachments, parse);
  const from = mailboxesOf(email.from ? [email.from] : []);
  const others = mailboxesOf([...(email.to ?? []), ...(email.cc ?? [])]);
  return {
    id,
    semanticIdentifier: subject,
    title: subject,
    sections: [body === '' ? subject : body, ...attached.texts].map((text) => ({ text, link })),
    metadata: { ...metadataOf(email, mailbox), ...attached.metadata },
    updatedAt: arrivedAt ?? dateOf(email.date),
    primaryOwners: from.map(toOwner),
    secondaryOwners: others.map(toOwner),
    source: null,
  };
}

async function readEmail(source: Uint8Array): Promise<Email> {
  if (countLines(source) > MAX_LINES) {
    throw new GiveUp(`The message has more than ${MAX_LINES} lines.`);
  }
  try {
    return await PostalMime.parse(source);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new GiveUp(`The message cannot be read: ${detail}`, { cause: error });
  }
}

function countLines(source: Uint8Array): number {
  let lines = 0;
  for (let at = source.indexOf(LINE_END); at !== -1; at = source.indexOf(LINE_END, at + 1)) {
    lines += 1;
  }
  return lines;
}

async function bodyOf(email: Email, parse: ConnectorContext['parse']): Promise<string> {
  const text = email.text?.trim() ?? '';
  if (text !== '' || !email.html) return text;
  const parsed = await parseOr(parse, 'message.html', Buffer.from(email.html));
  return typeof parsed === 'string' ? '' : parsed.join('\n\n');
}

async function readAttachments(
  attachments: readonly Attachment[],
  parse: ConnectorContext['parse'],
): Promise<{ texts: string[]; metadata: DocumentMetadata }> {
  const texts: string[] = [];
  const names: string[] = [];
  const unread: string[] = [];
  for (const { filename, mimeType, content } of attachments) {
    const name = filename?.trim() || null;
    const parserName = readableName(name ?? 'attachment', mimeType);
    if (name !== null) names.push(name);
    if (parserName === null) continue;
    const bytes = Buffer.from(typeof content === 'string' ? content : new Uint8Array(content));
    const parsed =
      bytes.length > MAX_ATTACHMENT_BYTES
        ? `more than ${MAX_ATTACHMENT_BYTES / 1024 / 1024} MB`
        : texts.length >= MAX_ATTACHMENTS
          ? `more than ${MAX_ATTACHMENTS} attachments`
          : await parseOr(parse, parserName, bytes);
    if (typeof parsed === 'string') unread.push(`${name ?? 'attachment'}: ${parsed}`);
    else texts.push(`# ${name ?? 'Attachment'}\n\n${parsed.join('\n\n')}`);
  }
  return {
    texts,
    metadata: {
      ...(names.length > 0 && { attachments: names }),
      ...(unread.length > 0 && { unread_attachments: unread }),
    },
  };
}

/** The texts of a file, or the reason why there are none. */
async function parseOr(
  parse: ConnectorContext['parse'],
  name: string,
  bytes: Uint8Array,
): Promise<string[] | string> {
  try {
    const { sections } = await parse({ name, bytes });
    return sections.map(({ text }) => text);
  } catch (error) {
    if (error instanceof GiveUp) return error.message;
    throw error;
  }
}

function metadataOf(email: Email, mailbox: string): DocumentMetadata {
  const to = mailboxesOf(email.to ?? []).map(toText);
  const cc = mailboxesOf(email.cc ?? []).map(toText);
  const [from] = mailboxesOf(email.from ? [email.from] : []).map(toText);
  const date = dateOf(email.date);
  // All messages of a conversation reference its first one (RFC 5322 section 3.6.4).
  const thread = email.references?.trim().split(/\s+/)[0] || email.inReplyTo || email.messageId;
  return {
    mailbox,
    ...(from && { from }),
    ...(to.length > 0 && { to }),
    ...(cc.length > 0 && { cc }),
    ...(date && { date: date.toISOString() }),
    ...(email.messageId && { message_id: email.messageId }),
    ...(thread && { thread }),
  };
}

function mailboxesOf(addresses: readonly Address[]): Mailbox[] {
  return addresses.flatMap((address) => address.group ?? [address]);
}

function toText({ name, address }: Mailbox): string {
  return name === '' ? address : `${name} <${address}>`;
}

function toOwner({ name, address }: Mailbox): StoredOwner {
  return { display_name: name || null, email: address || null };
}

function dateOf(value: string | undefined): Date | null {
  const date = new Date(value ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}
