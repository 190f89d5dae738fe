import { expect, test } from 'vitest';

import { openPage } from '#src/files/open-page.ts';
import { readCloudflareEmails } from '#src/leads/extract/cloudflare-email.ts';

function read(html: string): string[] {
  const source = { url: 'https://acme.test/', html, page: openPage(html), region: null };
  return readCloudflareEmails(source).flatMap(({ emails }) => emails);
}

function encode(text: string, key: number): string {
  return Buffer.from([key, ...Buffer.from(text).map((byte) => byte ^ key)]).toString('hex');
}

test.each([
  ['116967746b7570517f706774633f727e7c', 'xvezda@naver.com'],
  ['523e272b27123a27333c357c313d3f', 'luyu@huang.com'],
  ['6e040b1d1d0b040b1d1d0b5f5c5d2e09030f0702400d0103', 'jessejesse123@gmail.com'],
  ['523E272B27123A27333C357C313D3F', 'luyu@huang.com'],
  [encode('jörg@münchen.de', 0xff), 'jörg@münchen.de'],
  [encode('Jane@Acme.test?subject=x', 0), 'jane@acme.test'],
])('%s is decoded in an attribute and in a link', (encoded, email) => {
  expect(
    read(`<span class="__cf_email__" data-cfemail="${encoded}">[email&#160;protected]</span>`),
  ).toEqual([email]);
  expect(read(`<a href="/cdn-cgi/l/email-protection#${encoded}">x</a>`)).toEqual([email]);
  expect(read(`<a href="https://acme.test/cdn-cgi/l/email-protection#${encoded}">x</a>`)).toEqual([
    email,
  ]);
});

test.each([
  '',
  '11',
  '1169677',
  '116967746b7570517f706774633f727e7',
  'zz6967746b7570517f706774633f727e7c',
  '11 6967746b7570517f706774633f727e7c',
  encode('no address', 7),
  encode('logo@2x.png', 7),
  '00'.repeat(400_000),
  'f'.repeat(2_000_001),
])('anything but an encoded address yields nothing (%#)', (encoded) => {
  expect(
    read(`<a data-cfemail="${encoded}" href="/cdn-cgi/l/email-protection#${encoded}">x</a>`),
  ).toEqual([]);
});

test('a bare link to the decoder without a code yields nothing', () => {
  expect(read('<a href="/cdn-cgi/l/email-protection">[email protected]</a>')).toEqual([]);
});

test('an address found in a link and its text is returned once, with its position', () => {
  const code = '523e272b27123a27333c357c313d3f';
  const html = `<p>x</p><a href="/cdn-cgi/l/email-protection#${code}"><span data-cfemail="${code}">x</span></a>`;
  const cards = readCloudflareEmails({
    url: 'https://acme.test/',
    html,
    page: openPage(html),
    region: null,
  });
  expect(cards).toMatchObject([
    { technique: 'cloudflare', kind: 'page', offset: html.indexOf(code) },
  ]);
});
