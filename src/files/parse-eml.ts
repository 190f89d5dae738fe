import PostalMime, { type Address, type Email } from 'postal-mime';
import { htmlToMarkdown } from './html-to-markdown.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';
import { oneLine } from './read-xml.ts';
import { reportDamage } from './report-damage.ts';
import { titleOfName } from './title-of-name.ts';

const MAX_NESTED_PARTS = 50;
const MAX_ATTACHMENT_NAMES = 100;

/**
 * A message (RFC 5322, MIME) with its text, or with its HTML as Markdown if it has no text part. Forwarded messages
 * follow in the text; other attachments are listed by name.
 * @throws GiveUp when its parts are nested too deeply
 */
export function parseEml({ name, bytes }: FileToParse): Promise<ParsedFile> {
  return reportDamage({ name, format: 'EML' }, async () => {
    const email = await PostalMime.parse(bytes, { maxNestingDepth: MAX_NESTED_PARTS });
    const subject = oneLine(email.subject ?? '');
    const attachments = attachmentNames(email);
    const text = [
      subject === '' ? '' : `# ${subject}`,
      headerLines(email),
      bodyOf(email),
      attachments.length === 0 ? '' : `Attachments: ${attachments.join(', ')}`,
    ];
    return {
      title: subject || titleOfName(name),
      sections: [{ text: text.filter((block) => block !== '').join('\n\n'), link: null }],
      metadata: readMetadata(email, attachments),
    };
  });
}

function bodyOf({ text, html }: Email): string {
  const plain = text?.trim() ?? '';
  return plain !== '' ? plain : htmlToMarkdown(html ?? '');
}

function attachmentNames({ attachments }: Email): string[] {
  return attachments
    .filter(({ related }) => related !== true)
    .flatMap(({ filename }) => oneLine(filename ?? '') || [])
    .slice(0, MAX_ATTACHMENT_NAMES);
}

function headerLines(email: Email): string {
  const lines: [label: string, value: string][] = [
    ['From', addresses(email.from ? [email.from] : []).join(', ')],
    ['To', addresses(email.to ?? []).join(', ')],
    ['Cc', addresses(email.cc ?? []).join(', ')],
    ['Date', email.date ?? ''],
  ];
  return lines
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');
}

function readMetadata(email: Email, attachments: string[]): ParsedFile['metadata'] {
  const metadata: ParsedFile['metadata'] = {};
  const [from] = addresses(email.from ? [email.from] : []);
  const to = addresses(email.to ?? []);
  if (from !== undefined) metadata['from'] = from;
  if (to.length > 0) metadata['to'] = to;
  if (email.date) metadata['date'] = email.date;
  if (attachments.length > 0) metadata['attachments'] = attachments;
  return metadata;
}

/** `Name <address>`, or whichever of the two exists; a group is expanded to its members. */
function addresses(list: readonly Address[]): string[] {
  return list
    .flatMap((one) => one.group ?? [one])
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : name || address))
    .filter((text) => text !== '');
}
