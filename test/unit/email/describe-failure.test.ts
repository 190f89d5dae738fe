import { expect, test } from 'vitest';
import { describeFailure, describeUnknown } from '#src/email/describe-failure.ts';
import { SMTP_ERROR_CLASSES } from '#src/email/smtp-error-classes.ts';
import { whyPortForbidden } from '#src/email/smtp-port.ts';

const PLACE = { host: 'smtp.acme.example', port: 587, email: 'ada@acme.example' };

test.each(SMTP_ERROR_CLASSES)('%s has its own sentence with a remedy', (errorClass) => {
  const text = describeFailure(errorClass, PLACE);
  expect(text).toMatch(/^[A-Zs].*\.$/);
  expect(text).not.toMatch(/undefined|null|\[object|\s{2}/);
  const others = SMTP_ERROR_CLASSES.filter((other) => other !== errorClass);
  expect(others.map((other) => describeFailure(other, PLACE))).not.toContain(text);
  // What went wrong, then what to do about it.
  expect(text).toMatch(
    /[.;] .*\b(?:check|try|use|ask|needs?|let|send less|goes through|another name)\b/i,
  );
});

test('the sentence names the host or port given by the owner', () => {
  for (const errorClass of SMTP_ERROR_CLASSES) {
    expect(describeFailure(errorClass, PLACE)).toMatch(/smtp\.acme\.example|port 587/);
  }
});

test('a server that does not answer leads to a hint at the other kind of port', () => {
  for (const port of [587, 2587, 2525]) {
    expect(describeFailure('timeout', { ...PLACE, port })).toContain('465');
  }
  for (const port of [465, 2465]) {
    expect(describeFailure('timeout', { ...PLACE, port })).toContain('587');
  }
});

test.each([
  ['smtp.gmail.com', 'ada@acme.example', 'app password'],
  ['SMTP.GMAIL.COM', 'ada@acme.example', 'app password'],
  ['relay.acme.example', 'ada@googlemail.com', 'app password'],
  ['smtp.office365.com', 'ada@acme.example', 'Authenticated SMTP'],
  ['smtp-mail.outlook.com', 'ada@outlook.de', 'Microsoft'],
  ['smtp.mail.yahoo.com', 'ada@yahoo.co.uk', 'app password'],
  ['smtp.mail.me.com', 'ada@icloud.com', 'app-specific password'],
  ['smtp.acme.example', 'ada@acme.example', 'two-factor'],
  ['smtp.notgmail.com', 'ada@notgmail.com', 'two-factor'],
])('a refused password at %s for %s suggests %s', (host, email, hint) => {
  expect(describeFailure('auth_failed', { host, port: 465, email })).toContain(hint);
});

test('an unknown outcome says that the message is not sent again', () => {
  expect(describeUnknown(PLACE)).toMatch(/smtp\.acme\.example.*not sent again/);
});

test('submission ports are open, 25 if the operator allows it, all others closed', () => {
  const closed = { allowPort25: false };
  for (const port of [465, 2465, 587, 2587, 2525]) {
    expect(whyPortForbidden(port, closed)).toBeNull();
  }
  expect(whyPortForbidden(25, closed)).toContain('SMTP_ALLOW_PORT_25');
  expect(whyPortForbidden(25, { allowPort25: true })).toBeNull();
  for (const port of [0, 24, 26, 80, 443, 586, 588, 2526, 5432, 65_535, 587.5, Number.NaN]) {
    expect(whyPortForbidden(port, { allowPort25: true })).toContain(`Port ${port} `);
  }
});
