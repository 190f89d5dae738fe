import { expect, test } from 'vitest';
import { isProviderDomain, knownProviderOf } from '#src/email/known-providers.ts';
import { whyPortForbidden } from '#src/email/smtp-port.ts';

test.each([
  ['ada@gmail.com', 'smtp.gmail.com', 465],
  ['ada@googlemail.com', 'smtp.gmail.com', 465],
  ['Ada@GMAIL.COM', 'smtp.gmail.com', 465],
  ['ada@outlook.com', 'smtp-mail.outlook.com', 587],
  ['ada@hotmail.com', 'smtp-mail.outlook.com', 587],
  ['ada@yahoo.com', 'smtp.mail.yahoo.com', 465],
  ['ada@icloud.com', 'smtp.mail.me.com', 587],
  ['ada@me.com', 'smtp.mail.me.com', 587],
  ['ada@fastmail.com', 'smtp.fastmail.com', 465],
  ['ada@gmx.de', 'mail.gmx.com', 587],
  ['ada@web.de', 'smtp.web.de', 587],
  ['ada@proton.me', 'smtp.protonmail.ch', 587],
  ['ada@yandex.ru', 'smtp.yandex.ru', 465],
  ['ada@hot.ee', 'mail.hot.ee', 587],
])('mail of %s is submitted at %s, port %i', (email, host, port) => {
  expect(knownProviderOf(email)).toEqual({ host, port });
});

test.each([
  'ada@acme.example',
  'ada@gmail',
  'ada@gmail.com.evil.example',
  'ada@notgmail.com',
  'ada@godaddy',
  'ada@maildev',
  'ada@constructor',
  'ada@__proto__',
  'ada@toString',
  'ada',
  'ada@',
  '@',
  '',
])('%j has no known provider', (email) => {
  expect(knownProviderOf(email)).toBeNull();
});

test('every known provider uses an open port', () => {
  const domains =
    'gmail.com outlook.com yahoo.com icloud.com aol.com gmx.net mail.ee hot.ee qq.com seznam.cz aruba.it bluewin.ch bol.com.br disroot.org ik.me kolabnow.com runbox.com tutanota.com web.de t-online.de orange.fr free.fr laposte.net zoho.com'.split(
      ' ',
    );
  for (const domain of domains) {
    const { host = '', port = 0 } = knownProviderOf(`ada@${domain}`) ?? {};
    expect(host, domain).toMatch(/\./);
    expect(whyPortForbidden(port, { allowPort25: false }), domain).toBeNull();
  }
});

test('domains of mailbox providers are distinguished from own domains', () => {
  for (const domain of ['gmail.com', 'yahoo.co.uk', 'outlook.de', 'web.de', 'live.com']) {
    expect(isProviderDomain(domain), domain).toBe(true);
  }
  for (const domain of ['acme.example', 'live.acme.example', 'yahoo.acme.example', '']) {
    expect(isProviderDomain(domain), domain).toBe(false);
  }
});
