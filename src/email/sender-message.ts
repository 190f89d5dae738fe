import { domainToASCII } from 'node:url';

interface VerificationMessage {
  subject: string;
  text: string;
  html: string;
}

/** The test message of a sender account. It asks for nothing, contains no link and belongs to no mailing list. */
export function verificationMessage(about: {
  /** The account's address. */
  email: string;
  /** For the recipient to compare with the token of the account. */
  token: string;
  /** The address of the user who requested the check; null when unknown. */
  requestedBy: string | null;
}): VerificationMessage {
  const email = oneLine(about.email);
  const asker =
    about.requestedBy === null ? 'Someone in the workspace' : oneLine(about.requestedBy);
  const paragraphs = [
    'Hello,',
    `this message shows that ${email} can send mail through Millrace. ${asker} has asked for this check of the sender account.`,
    `Verification token: ${oneLine(about.token)}`,
    'There is nothing for you to do. If this mailbox is yours and you know nothing of the check, change its password: whoever asked has it.',
    'This message is sent once per check. You are on no list.',
  ];
  return {
    subject: `Check of ${email} as a sender`,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body>\n${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}\n</body></html>\n`,
  };
}

/** A Message-ID (RFC 5322 §3.6.4) in the sender's domain; derived from the id, so that retries use the same. */
export function senderDomainMessageId(id: string, email: string): string {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1)) || 'localhost';
  return `<${id.replaceAll(/[^\w.-]/g, '')}@${domain}>`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
