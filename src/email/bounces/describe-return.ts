import type { ReturnCause } from './reported-return.ts';

/** Explains to the sender why a message came back and what to do. Never contains text from a report. */
export function describeReturn({
  cause,
  statusCode,
  isListed,
}: {
  cause: ReturnCause;
  statusCode: string | null;
  isListed: boolean;
}): string {
  const code = statusCode === null ? '' : ` (${statusCode})`;
  const listed = isListed ? ' It is on the do-not-contact list.' : '';
  return `${sentenceOf(cause, code)}${listed}`;
}

function sentenceOf(cause: ReturnCause, code: string): string {
  switch (cause) {
    case 'no_such_address':
      return `The message came back: there is no such address${code}.`;
    case 'mailbox_disabled':
      return `The message came back: the mailbox of this address is disabled${code}.`;
    case 'mailbox_full':
      return `The message came back: the recipient's mailbox is full${code}. The address is right: try again in some days.`;
    case 'too_large':
      return `The message came back: it is too large for the recipient's server${code}. Send a shorter one.`;
    case 'refused':
      return `The message came back: the recipient's server refuses it${code}. The reason is the sender or the content, not the address: check SPF, DKIM and DMARC, and the provider's rules.`;
    case 'undelivered':
      return `The message came back: it could not be delivered${code}. Try again later, or check the address.`;
    case 'complaint':
      return 'The recipient reported the message as unwanted.';
  }
}
