import { makeUnsubscribeToken } from '#src/outreach/unsubscribe-token.ts';
import { baseUrlOf } from '#src/platform/base-url.ts';
import type { EmailServices } from './email-services.ts';
import type { ClaimedMessage } from './claim-message.ts';
import type { OutgoingMessage } from './mailer.ts';
import { senderDomainMessageId, verificationMessage } from './sender-message.ts';

/** The message as sent to the server: identical on every attempt, except for its date. */
export function composeMessage(
  {
    config,
    unsubscribeSecrets,
    clock,
  }: Pick<EmailServices, 'config' | 'unsubscribeSecrets' | 'clock'>,
  message: ClaimedMessage,
): OutgoingMessage {
  const { account, recipient } = message;
  return {
    from: { name: account.from_name, address: account.email },
    to: recipient,
    messageId: senderDomainMessageId(message.id, account.email),
    date: clock(),
    ...contentOf({ config, unsubscribeSecrets }, message),
  };
}

type Content = Pick<OutgoingMessage, 'replyTo' | 'subject' | 'text' | 'html' | 'headers'>;

function contentOf(
  { config, unsubscribeSecrets }: Pick<EmailServices, 'config' | 'unsubscribeSecrets'>,
  message: ClaimedMessage,
): Content {
  const { account, requested_by: requestedBy, recipient } = message;
  if (message.kind === 'verification') {
    const about = { email: account.email, token: account.verification_token, requestedBy };
    // RFC 3834: suppresses automatic replies.
    const headers = { 'Auto-Submitted': 'auto-generated' };
    return { ...verificationMessage(about), replyTo: null, headers };
  }
  const token = makeUnsubscribeToken(unsubscribeSecrets, {
    workspaceId: message.workspace_id,
    email: recipient,
  });
  return {
    replyTo: message.reply_to,
    subject: message.subject ?? '',
    text: message.text_body ?? '',
    html: message.html_body,
    // RFC 8058: one click, without a confirmation page.
    headers: {
      'List-Unsubscribe': `<${baseUrlOf(config)}/unsubscribe/${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}
