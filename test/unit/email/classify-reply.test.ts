import { expect, test } from 'vitest';
import { classifyReply } from '#src/email/classify-reply.ts';
import { isNegativeReply, smtpFailureOf } from '#src/email/smtp-failure.ts';

const classOf = (error: object, port = 587) => {
  const { errorClass, isTemporary } = classifyReply(smtpFailureOf(error), port);
  return `${errorClass} ${isTemporary ? 'temporary' : 'permanent'}`;
};
const socketError = (originalCode: string) => ({ code: 'ESOCKET', originalCode, command: 'CONN' });
const reply = (code: string, command: string, response: string) => ({
  code,
  command,
  response,
  responseCode: Number(response.slice(0, 3)),
});

test('the code of the reply decides before the error code of the library', () => {
  expect(classOf(reply('EENVELOPE', 'RCPT TO', '450 4.2.0 later'))).toBe('greylisted temporary');
  expect(classOf(reply('EENVELOPE', 'RCPT TO', '550 5.1.1 no'))).toBe(
    'recipient_rejected permanent',
  );
  expect(classOf(reply('EPROTOCOL', 'CONN', '421 busy'))).toBe('server_busy temporary');
  expect(classOf(reply('EPROTOCOL', 'CONN', '554 no'))).toBe('blocked_by_server permanent');
  expect(classOf(reply('ECONNECTION', 'CONN', '421 bye'))).toBe('server_busy temporary');
  expect(classOf(reply('ETIMEDOUT', 'CONN', '554 bye'))).toBe('blocked_by_server permanent');
  expect(classOf({ ...reply('ESOCKET', 'CONN', '421 bye'), originalCode: 'ECONNREFUSED' })).toBe(
    'server_busy temporary',
  );
});

test('503 causes no second attempt, although the library would make one', () => {
  expect(classOf({ ...reply('EENVELOPE', 'MAIL FROM', '503 first'), permanent: false })).toBe(
    'sender_rejected permanent',
  );
  expect(classOf(reply('EAUTH', 'AUTH PLAIN', '503 not here'))).toBe('auth_unavailable permanent');
});

test.each([
  ['ECONNREFUSED', 'connection_refused temporary'],
  ['EHOSTUNREACH', 'connection_refused temporary'],
  ['ENETUNREACH', 'connection_refused temporary'],
  ['ETIMEDOUT', 'timeout temporary'],
  ['ECONNRESET', 'connection_closed temporary'],
  ['EPIPE', 'connection_closed temporary'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_untrusted permanent'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_untrusted permanent'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_untrusted permanent'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_untrusted permanent'],
  ['CERT_HAS_EXPIRED', 'tls_untrusted permanent'],
  ['CERT_NOT_YET_VALID', 'tls_untrusted permanent'],
  ['CERT_REVOKED', 'tls_untrusted permanent'],
  ['INVALID_PURPOSE', 'tls_untrusted permanent'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_hostname_mismatch permanent'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls_failed permanent'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'tls_failed permanent'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_failed permanent'],
  ['EPROTO', 'tls_failed permanent'],
])('a socket that fails with %s is classified as %s', (originalCode, expected) => {
  expect(classOf(socketError(originalCode))).toBe(expected);
  // Before the library had the socket.
  expect(classOf({ code: originalCode })).toBe(expected);
});

test('a non-TLS answer means a wrong port only where TLS comes first', () => {
  expect(classOf(socketError('ERR_SSL_WRONG_VERSION_NUMBER'), 465)).toBe(
    'tls_mode_mismatch permanent',
  );
  expect(classOf(socketError('ERR_SSL_WRONG_VERSION_NUMBER'), 2465)).toBe(
    'tls_mode_mismatch permanent',
  );
  expect(classOf(socketError('ERR_SSL_WRONG_VERSION_NUMBER'), 587)).toBe('tls_failed permanent');
});

test.each([
  [{ code: 'EDNS', originalCode: '' }, 'dns_error permanent'],
  [{ code: 'EDNS', originalCode: 'ENOTFOUND' }, 'dns_error permanent'],
  [{ code: 'EDNS', originalCode: 'EAI_AGAIN' }, 'dns_error temporary'],
  [{ code: 'ENOAUTH' }, 'auth_unavailable permanent'],
  [{ code: 'EAUTH', command: 'API' }, 'auth_failed permanent'],
  [reply('EAUTH', 'AUTH LOGIN', '250 odd'), 'not_smtp permanent'],
  [{ code: 'EPROTOCOL', command: 'CONN' }, 'not_smtp permanent'],
  [reply('EPROTOCOL', 'CONN', '200 OK'), 'not_smtp permanent'],
  [{ code: 'ECONNECTION', command: 'CONN' }, 'connection_closed temporary'],
  [{ code: 'ETIMEDOUT', command: 'CONN' }, 'timeout temporary'],
  [{ code: 'ETLS', command: 'STARTTLS' }, 'starttls_unavailable permanent'],
  [{ code: 'ETLS', command: 'CONN' }, 'tls_failed temporary'],
  [{ code: 'EMESSAGE', command: 'MAIL FROM' }, 'message_rejected permanent'],
  [{ code: 'EENVELOPE', command: 'API' }, 'failed permanent'],
  [{ code: 'E_NEW' }, 'failed permanent'],
  [new TypeError('a bug'), 'failed permanent'],
])('without a refusal by the server, %j is %s', (error, expected) => {
  expect(classOf(error)).toBe(expected);
});

test.each([
  ['AUTH PLAIN', '454 4.7.0', 'auth_temporarily_failed temporary'],
  ['AUTH PLAIN', '421 4.7.0', 'server_busy temporary'],
  ['AUTH LOGIN', '535 5.7.8', 'auth_failed permanent'],
  ['AUTH CRAM-MD5', '504 5.5.4', 'auth_unavailable permanent'],
  ['STARTTLS', '454 4.7.0', 'starttls_unavailable temporary'],
  ['STARTTLS', '502 5.5.1', 'starttls_unavailable permanent'],
  ['EHLO', '451 4.3.0', 'server_busy temporary'],
  ['HELO', '550 5.7.1', 'blocked_by_server permanent'],
  ['MAIL FROM', '553 5.7.1', 'sender_rejected permanent'],
  ['MAIL FROM', '552 5.3.4', 'message_rejected permanent'],
  ['MAIL FROM', '451 4.3.0', 'temporarily_rejected temporary'],
  ['MAIL FROM', '421 4.7.28', 'rate_limited_by_provider temporary'],
  ['MAIL FROM', '550 5.4.5', 'rate_limited_by_provider permanent'],
  ['RCPT TO', '451 4.7.1', 'greylisted temporary'],
  ['RCPT TO', '452 4.2.2', 'mailbox_full temporary'],
  ['RCPT TO', '452 4.2.0', 'temporarily_rejected temporary'],
  ['RCPT TO', '421 4.3.2', 'server_busy temporary'],
  ['DATA', '421 4.7.0', 'rate_limited_by_provider temporary'],
  ['DATA', '451 4.3.0', 'temporarily_rejected temporary'],
  ['DATA', '554 5.7.1', 'message_rejected permanent'],
  ['DATA', '550 5.7.28', 'rate_limited_by_provider permanent'],
])('%s answered with %s is %s', (command, response, expected) => {
  expect(classOf(reply('EANY', command, `${response} <text>`))).toBe(expected);
  expect(
    classOf(reply('EANY', command, `${response.slice(0, 3)}-${response.slice(4)} x\nmore`)),
  ).toBe(expected);
});

test('only 4yz and 5yz are refusals', () => {
  for (const [code, expected] of [
    [250, false],
    [354, false],
    [399, false],
    [400, true],
    [421, true],
    [599, true],
    [600, false],
  ] as const) {
    expect(isNegativeReply(smtpFailureOf({ responseCode: code }))).toBe(expected);
  }
  for (const odd of [null, undefined, 'text', { responseCode: '550' }, { responseCode: false }]) {
    expect(isNegativeReply(smtpFailureOf(odd))).toBe(false);
  }
});

test.each([
  ['DATA', '550 5.4.5 Daily user sending limit exceeded.', 'day'],
  ['DATA', '550 5.1.90 Your message cannot be sent.', 'day'],
  ['DATA', '454 Throttling failure: Daily message quota exceeded.', 'day'],
  [
    'RCPT TO',
    '550 acme.example has exceeded the max emails per hour (150/150 (100%)) allowed',
    'hour',
  ],
  ['AUTH LOGIN', '451 Authentication failed: Maximum credits exceeded', 'day'],
  ['CONN', '421 Too many concurrent SMTP connections', 'minute'],
  ['DATA', '421 4.7.28 <text>', 'minute'],
  // Only presumed to be a limit: the reply mentions none.
  ['DATA', '421 bye', null],
  ['RCPT TO', '450 4.2.0 daily greylisting', null],
])('%s answered with "%s" mentions a limit per %s', (command, response, limit) => {
  const failure = smtpFailureOf(reply('EANY', command, response));
  expect(classifyReply(failure, 587).limit).toBe(limit);
});
