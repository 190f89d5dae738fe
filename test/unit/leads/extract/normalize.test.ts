import { expect, test } from 'vitest';

import { normalizeEmail } from '#src/leads/extract/normalize-email.ts';
import { normalizePhone } from '#src/leads/extract/normalize-phone.ts';
import { isDisposable, isFreeMail, isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { parseDomain, parseEmailAddress } from '#src/outreach/contact-patterns.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

test.each([
  'logo@2x.png',
  'icon@3x.zip',
  'bootstrap@5.3.2',
  'react@18.2.0/umd/react.js',
  '0123456789abcdef0123@o1.ingest.sentry.io',
  '605a7baede844d278b89dc95ae0a9123@sentry-next.wixpress.com',
  '0123456789abcdef0123456789abcdef@acme.test',
  'you@example.com',
  'your.name@domain.com',
  'email@email.com',
  'ihr.name@beispiel.de',
  'vorname.nachname@acme.test',
  'a@b@c.de',
  'a..b@acme.test',
  'a.@acme.test',
  'a@-acme.test',
  'a@acme..test',
  'a@acme',
  'a@acme.nosuchsuffix',
  'a@co.uk',
  'a@127.0.0.1',
  '@acme.test',
  'jane',
  '',
  `${'a'.repeat(65)}@acme.test`,
  `a@${'b'.repeat(64)}.test`,
])('%j is not a valid address', (text) => {
  expect(normalizeEmail(text)).toBeNull();
});

test.each([
  ['info@example.com', 'info@example.com'],
  ['jane.doe@acme.example', 'jane.doe@acme.example'],
  ['sales@firm.test', 'sales@firm.test'],
  ['MAILTO:Jane.Doe%40Acme.example?subject=x', 'jane.doe@acme.example'],
  [' Jane Doe <Jane@Acme.co.uk> ', 'jane@acme.co.uk'],
  ['“jane@acme.test”.', 'jane@acme.test'],
  ['jane＠acme。test'.replace('。', '.'), 'jane@acme.test'],
  ['ja\u200Bne@ac\u00ADme.test', 'jane@acme.test'],
  ['Jörg@MÜNCHEN.de', 'jörg@münchen.de'],
  ['a@xn--mnchen-3ya.de', 'a@münchen.de'],
  ['o’brien+news@acme.test', "o'brien+news@acme.test"],
  ['jane@sentry.io', 'jane@sentry.io'],
])('%j is read as %s', (text, email) => {
  expect(normalizeEmail(text)).toBe(email);
});

test('an address of several megabytes is refused quickly', () => {
  const cpuMs = cpuMsOf(() => {
    for (const text of ['a'.repeat(2e6), 'a@'.repeat(1e6), `${'a.'.repeat(1e6)}@b.de`]) {
      expect(normalizeEmail(text)).toBeNull();
      expect(normalizePhone(text, 'DE', 'marked')).toBeNull();
    }
  });
  expect(cpuMs).toBeLessThan(1_000);
});

test.each([
  ['+1 555 123 4567', null, '+15551234567'],
  ['tel:+49%2030%20901820', null, '+4930901820'],
  ['tel:+4930901820;ext=12', null, '+4930901820'],
  ['+49 (0) 30 / 90 18 20', null, '+4930901820'],
  ['0049 30 901820', 'US', '+4930901820'],
  ['030 901820', 'DE', '+4930901820'],
  ['030 901820', 'de', '+4930901820'],
  ['030 901820', null, null],
  ['030 901820', 'XX', null],
  ['020 7946 0958 ext. 12', 'GB', '+442079460958'],
  ['03−1234−5678', 'JP', '+81312345678'],
  ['０３-１２３４-５６７８', 'JP', '+81312345678'],
  ['1-800-FLOWERS', 'US', '+18003569377'],
  ['110', 'DE', null],
  ['1234567890', 'US', null],
  ['0000000000', 'DE', null],
  ['call us', 'DE', null],
  ['', 'DE', null],
])('a marked number %j of %s is %s', (text, region, phone) => {
  expect(normalizePhone(text, region, 'marked')).toBe(phone);
});

test('a number in plain text must be valid, but after a label a possible one is enough', () => {
  expect(normalizePhone('+1 555 123 4567', null, 'marked')).toBe('+15551234567');
  expect(normalizePhone('+1 555 123 4567', null, 'text')).toBeNull();
  expect(normalizePhone('+1 202 555 0143', null, 'text')).toBe('+12025550143');
});

test.each([
  ['https://a.b.co.uk:8443/x?y#z', 'b.co.uk'],
  ['Shop.Firm.TEST.', 'firm.test'],
  ['jane.github.io', 'jane.github.io'],
  ['github.io', 'github.io'],
  ['www.xn--mnchen-3ya.de', 'münchen.de'],
  ['www.münchen.de', 'münchen.de'],
  ['http://127.0.0.1:80/', '127.0.0.1'],
  ['http://[::1]:3/', '[::1]:3'],
  ['http://127.0.0.1:8080/', '127.0.0.1:8080'],
  ['http://[::1]:8080/', '[::1]:8080'],
  ['localhost:3000', 'localhost:3000'],
  ['https://www.acme.co.uk:8443/', 'acme.co.uk'],
  ['two words', null],
  ['', null],
])('the registrable domain of %j is %s', (text, domain) => {
  expect(registrableDomain(text)).toBe(domain);
});

test.each(
  (
    'info kontakt office sales support hello contacto contatto bureau contato biuro kontor obchod myynti iletisim kancelar ' +
    'no-reply sales.uk support2 büro atencion.cliente info+web ' +
    'treasurer vorstand mairie direccion penningmeester podatelna kassor ihracat'
  ).split(' '),
)('%s@ is a role address', (local) => {
  expect(isRoleAddress(`${local}@acme.test`)).toBe(true);
});

test.each('jane jane.doe infojane j.sales postmann clientella mail.jane hr.mueller'.split(' '))(
  '%s@ is a personal address',
  (local) => {
    expect(isRoleAddress(`${local}@acme.test`)).toBe(false);
  },
);

test('disposable and free-mail hosts are recognized, including subdomains and country variants', () => {
  expect(isDisposable('a@mailinator.com')).toBe(true);
  expect(isDisposable('a@x.mailinator.com')).toBe(true);
  expect(isDisposable('a@acme.test')).toBe(false);
  expect(isFreeMail('a@gmail.com')).toBe(true);
  expect(isFreeMail('a@yahoo.co.uk')).toBe(true);
  expect(isFreeMail('a@gmail.acme.test')).toBe(false);
});

test.each([
  'a@b',
  'x <a@b.de>',
  '"a"@b.de',
  'a b@c.de',
  'a@b.de\n',
  ' a@b.de',
  'a(c)@b.de',
  'a@1.2.3.4',
  'a@[::1]',
  'a@b_c.de',
  'a,b@c.de',
  'a@b..de',
  'a\u0000@b.de',
  `${'ä'.repeat(40)}@b.de`,
])('a request cannot use %j as an address', (text) => {
  expect(parseEmailAddress(text)).toBeNull();
});

test('addresses and domains in a request keep readable letters', () => {
  expect(parseEmailAddress('Jane.Doe@ACME.Test')).toBe('Jane.Doe@acme.test');
  expect(parseEmailAddress('a@XN--MNCHEN-3YA.de')).toBe('a@münchen.de');
  expect(parseDomain('Acme.TEST.')).toBe('acme.test');
  expect(parseDomain('MÜNCHEN.de')).toBe('münchen.de');
  for (const text of [
    'acme',
    'https://acme.test',
    'acme.test/x',
    '10.0.0.1',
    '-a.de',
    'a@b.de',
    '',
  ]) {
    expect(parseDomain(text)).toBeNull();
  }
});

test.each([
  ['tel:++4940123456', '+4940123456'],
  ['tel:+49 40 12 34 56 oder', '+4940123456'],
  ['tel:+49 (0) 40/123456 (Mo-Fr)', '+4940123456'],
  ['tel:0049-40-123456;ext=12', '+4940123456'],
])('what does not belong to a number in a link is left out: %s', (href, phone) => {
  expect(normalizePhone(href, 'DE', 'marked')).toBe(phone);
});
