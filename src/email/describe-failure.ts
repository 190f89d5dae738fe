import { isImplicitTls } from './smtp-port.ts';
import type { LimitPeriod } from './limit-period.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** The host as the account's owner wrote it, not an address it resolves to. */
interface Place {
  host: string;
  port: number;
  /** The address of the account. */
  email: string;
}

/**
 * Explains to the account's owner what went wrong and how to fix it. Never contains text from the server.
 * @param limit the period of the sending limit that the reply reports
 */
export function describeFailure(
  errorClass: SmtpErrorClass,
  place: Place,
  limit: LimitPeriod | null = null,
): string {
  const { host, port } = place;
  switch (errorClass) {
    case 'dns_error':
      return `${host} does not resolve to a mail server that can be reached from here. Check the name of the SMTP server.`;
    case 'port_not_allowed':
      return `No mail is sent through port ${port}. Use 465 (TLS from the start) or 587 (STARTTLS).`;
    case 'connection_refused':
      return `No server accepts connections at ${host}, port ${port}. Check the host and the port; ${otherPort(port)}`;
    case 'connection_closed':
      return `${host} closed the connection before it accepted the message. Try again later; if this persists, ask the provider whether it blocks this sender.`;
    case 'timeout':
      return isImplicitTls(port)
        ? `${host} did not answer in time at port ${port}. Check the host and the port; ${otherPort(port)}`
        : `${host} did not answer in time at port ${port}. If the provider expects TLS from the start, use port 465; else check the host and the port.`;
    case 'server_busy':
      return `${host} accepts no mail at the moment. Try again later.`;
    case 'blocked_by_server':
      return `${host} refuses all mail from this sender. Ask the provider whether the account is suspended, or whether the sending IP address is on a blocklist.`;
    case 'not_smtp':
      return `The server at ${host}, port ${port}, does not speak SMTP. Check the host and the port of the outgoing mail server.`;
    case 'failed':
      return `The message could not be sent through ${host}. Check the settings of the account and try again.`;
    case 'tls_mode_mismatch':
    case 'tls_untrusted':
    case 'tls_hostname_mismatch':
    case 'tls_failed':
    case 'starttls_unavailable':
      return describeTls(errorClass, place);
    case 'auth_unavailable':
    case 'auth_failed':
    case 'auth_temporarily_failed':
      return describeSignIn(errorClass, place);
    case 'rate_limited_by_provider':
      return describeLimit(host, limit);
    case 'sender_rejected':
    case 'sender_unauthenticated':
    case 'relay_denied':
    case 'recipient_rejected':
    case 'mailbox_full':
    case 'greylisted':
    case 'message_rejected':
    case 'temporarily_rejected':
      return describeRefusal(errorClass, place);
  }
}

/** For a message that may or may not have been sent. */
export function describeUnknown({ host }: { host: string }): string {
  return `The connection to ${host} was lost during the transfer of the message, so it may have been sent. It is not sent again automatically; look for it in the mailbox.`;
}

function otherPort(port: number): string {
  return isImplicitTls(port)
    ? 'many providers use 587 (STARTTLS) instead.'
    : 'many providers use 465 (TLS from the start) instead.';
}

function describeTls(
  errorClass:
    | 'tls_mode_mismatch'
    | 'tls_untrusted'
    | 'tls_hostname_mismatch'
    | 'tls_failed'
    | 'starttls_unavailable',
  { host, port }: Place,
): string {
  switch (errorClass) {
    case 'tls_mode_mismatch':
      return `${host} does not speak TLS from the start at port ${port}. Use port 587 (STARTTLS).`;
    case 'tls_untrusted':
      return `The certificate of ${host} is not trusted: it has expired, is self-signed, or its issuer is unknown. The server needs a valid certificate of a public authority.`;
    case 'tls_hostname_mismatch':
      return `The certificate of the server is for a name other than ${host}. Use the host name that the provider gives for its SMTP server.`;
    case 'tls_failed':
      return `No secure connection to ${host} could be established. The server needs TLS 1.2 or newer; use the provider's submission server, usually at port 465 or 587.`;
    case 'starttls_unavailable':
      return `${host} offers no STARTTLS at port ${port}, and no password is sent without it. Use port 465, or ask the provider to enable STARTTLS.`;
  }
}

function describeSignIn(
  errorClass: 'auth_unavailable' | 'auth_failed' | 'auth_temporarily_failed',
  { host, port, email }: Place,
): string {
  switch (errorClass) {
    case 'auth_unavailable':
      return `${host} offers no sign-in with user name and password at port ${port}. Use the provider's submission server, usually at port 465 or 587; a provider that takes no passwords at all cannot be used.`;
    case 'auth_failed':
      return `${host} did not accept the user name and password. ${signInHint(host, email)}`;
    case 'auth_temporarily_failed':
      return `${host} could not check the user name and password at the moment, or there were too many attempts. Try again later.`;
  }
}

/** Providers that do not accept the ordinary password from a program. */
const APP_PASSWORDS: readonly { name: string; sign: RegExp; hint: string }[] = [
  {
    name: 'Google',
    sign: /(?:^|[@.])(?:gmail|googlemail)\.com$/,
    hint: 'Google accepts only an app password: turn on 2-step verification and create one at myaccount.google.com/apppasswords.',
  },
  {
    name: 'Microsoft',
    sign: /(?:^|[@.])(?:outlook|hotmail|live|msn|office365)\.[a-z.]+$/,
    hint: 'Microsoft accepts an app password or an account with "Authenticated SMTP" turned on; for personal accounts it may accept no password at all.',
  },
  {
    name: 'Yahoo',
    sign: /(?:^|[@.])(?:yahoo|ymail|rocketmail|aol)\.[a-z.]+$/,
    hint: 'Yahoo and AOL accept only an app password: create one under account security.',
  },
  {
    name: 'Apple',
    sign: /(?:^|[@.])(?:icloud|me|mac)\.com$/,
    hint: 'iCloud accepts only an app-specific password: create one at account.apple.com.',
  },
];

function signInHint(host: string, email: string): string {
  const provider = APP_PASSWORDS.find(
    ({ sign }) => sign.test(host.toLowerCase()) || sign.test(email.toLowerCase()),
  );
  return (
    provider?.hint ??
    'Check both; with two-factor sign-in most providers require an app password instead of the usual one.'
  );
}

function describeRefusal(
  errorClass:
    | 'sender_rejected'
    | 'sender_unauthenticated'
    | 'relay_denied'
    | 'recipient_rejected'
    | 'mailbox_full'
    | 'greylisted'
    | 'message_rejected'
    | 'temporarily_rejected',
  { host, email }: Place,
): string {
  switch (errorClass) {
    case 'sender_rejected':
      return `${host} does not let this account send as ${email}. Use an address that belongs to the SMTP user, or ask the provider to allow this one.`;
    case 'recipient_rejected':
      return `${host} does not accept mail for the recipient. Check the recipient's address; if it is right, ask the recipient whether mail from outside is accepted.`;
    case 'mailbox_full':
      return `${host} says that the recipient's mailbox is full. The address is right: try again in some days.`;
    case 'sender_unauthenticated':
      return `${host} reports that ${email} failed a check of SPF, DKIM or DMARC. Use the provider that the domain's SPF record names, and let it sign with the domain's DKIM key; the warnings of a verification say what is missing.`;
    case 'relay_denied':
      return `${host} takes mail from this account for its own users only. Use the provider's submission server, usually at port 465 or 587, with the user name that may send as ${email}.`;
    case 'greylisted':
      return `${host} has deferred the message and asks for another attempt later. It goes through after some minutes.`;
    case 'message_rejected':
      return `${host} has rejected the message itself. Check its content, its size and the provider's rules on spam.`;
    case 'temporarily_rejected':
      return `${host} does not accept the message at the moment. Try again later.`;
  }
}

function describeLimit(host: string, limit: LimitPeriod | null): string {
  switch (limit) {
    case 'day':
      return `${host} says that this account has reached its sending limit for the day. Send less, or wait until the provider's limit is reset.`;
    case 'hour':
      return `${host} says that this account has reached its sending limit for the hour. Wait an hour, or send less.`;
    case 'minute':
    case null:
      return `${host} says that this account sends too much at a time. Send less, or wait some minutes.`;
  }
}
