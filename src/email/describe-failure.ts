import { isImplicitTls } from './smtp-port.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** As the account's owner has named them; nothing that was looked up. */
interface Place {
  host: string;
  port: number;
  /** Of the account. */
  email: string;
}

/** What went wrong and what to do about it, for the account's owner. What the server said is not in it. */
export function describeFailure(errorClass: SmtpErrorClass, place: Place): string {
  const { host, port } = place;
  switch (errorClass) {
    case 'dns_error':
      return `${host} does not lead to a mail server that can be reached from here. Check the name of the SMTP server.`;
    case 'port_not_allowed':
      return `No mail is sent through port ${port}. Use 465 (TLS from the start) or 587 (STARTTLS).`;
    case 'connection_refused':
      return `No server takes connections at ${host}, port ${port}. Check the host and the port; ${otherPort(port)}`;
    case 'connection_closed':
      return `${host} closed the connection before the message was taken. Try again later; if it stays so, ask the provider whether it blocks this sender.`;
    case 'timeout':
      return isImplicitTls(port)
        ? `${host} did not answer in time at port ${port}. Check the host and the port; ${otherPort(port)}`
        : `${host} did not answer in time at port ${port}. If the provider expects TLS from the start, use port 465; else check the host and the port.`;
    case 'server_busy':
      return `${host} takes no mail at the moment. Try again later.`;
    case 'blocked_by_server':
      return `${host} refuses to talk to this sender. Ask the provider whether this service's address or the account is blocked.`;
    case 'not_smtp':
      return `What answers at ${host}, port ${port}, does not speak SMTP. Check the host and the port of the outgoing mail server.`;
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
    case 'sender_rejected':
    case 'recipient_rejected':
    case 'greylisted':
    case 'rate_limited_by_provider':
    case 'message_rejected':
    case 'temporarily_rejected':
      return describeRefusal(errorClass, place);
  }
}

/** For a message of which nobody knows whether it went out. */
export function describeUnknown({ host }: { host: string }): string {
  return `The connection to ${host} was lost while it had the message, so it may have been sent. It is not sent again by itself; look for it in the mailbox.`;
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
      return `The certificate of the server belongs to another name than ${host}. Use the host name that the provider gives for its SMTP server.`;
    case 'tls_failed':
      return `No secure connection to ${host} could be made. The server needs TLS 1.2 or newer.`;
    case 'starttls_unavailable':
      return `${host} offers no STARTTLS at port ${port}, and no password is sent without it. Use port 465, or let the provider switch STARTTLS on.`;
  }
}

function describeSignIn(
  errorClass: 'auth_unavailable' | 'auth_failed' | 'auth_temporarily_failed',
  { host, port, email }: Place,
): string {
  switch (errorClass) {
    case 'auth_unavailable':
      return `${host} offers no sign-in with user name and password at port ${port}. Use the provider's submission server, mostly at port 465 or 587.`;
    case 'auth_failed':
      return `${host} did not accept the user name and password. ${signInHint(host, email)}`;
    case 'auth_temporarily_failed':
      return `${host} could not check the user name and password at the moment, or there were too many attempts. Try again later.`;
  }
}

/** Providers that take no ordinary password from a program. */
const APP_PASSWORDS: readonly { name: string; sign: RegExp; hint: string }[] = [
  {
    name: 'Google',
    sign: /(?:^|[@.])(?:gmail|googlemail)\.com$/,
    hint: 'Google takes an app password only: switch on 2-step verification and make one at myaccount.google.com/apppasswords.',
  },
  {
    name: 'Microsoft',
    sign: /(?:^|[@.])(?:outlook|hotmail|live|msn|office365)\.[a-z.]+$/,
    hint: 'Microsoft takes an app password or an account with "Authenticated SMTP" switched on; for personal accounts it may take no password at all.',
  },
  {
    name: 'Yahoo',
    sign: /(?:^|[@.])(?:yahoo|ymail|rocketmail|aol)\.[a-z.]+$/,
    hint: 'Yahoo and AOL take an app password only: make one under account security.',
  },
  {
    name: 'Apple',
    sign: /(?:^|[@.])(?:icloud|me|mac)\.com$/,
    hint: 'iCloud takes an app-specific password only: make one at account.apple.com.',
  },
];

function signInHint(host: string, email: string): string {
  const provider = APP_PASSWORDS.find(
    ({ sign }) => sign.test(host.toLowerCase()) || sign.test(email.toLowerCase()),
  );
  return (
    provider?.hint ??
    'Check both; with two-factor sign-in most providers want an app password instead of the usual one.'
  );
}

function describeRefusal(
  errorClass:
    | 'sender_rejected'
    | 'recipient_rejected'
    | 'greylisted'
    | 'rate_limited_by_provider'
    | 'message_rejected'
    | 'temporarily_rejected',
  { host, email }: Place,
): string {
  switch (errorClass) {
    case 'sender_rejected':
      return `${host} does not let this account send as ${email}. Use an address that belongs to the SMTP user, or let the provider allow this one.`;
    case 'recipient_rejected':
      return `${host} does not take mail for the recipient. Check the recipient's address.`;
    case 'greylisted':
      return `${host} has put the message off and asks to come back later. It goes through after some minutes.`;
    case 'rate_limited_by_provider':
      return `${host} says that this account sends too much. Send less, or wait until the provider's limit is over.`;
    case 'message_rejected':
      return `${host} has refused the message itself. Check its content, its size and the provider's rules on spam.`;
    case 'temporarily_rejected':
      return `${host} does not take the message at the moment. Try again later.`;
  }
}
