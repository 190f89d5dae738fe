import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CookieJar } from '#src/leads/visit/cookie-jar.ts';

const SITE = 'https://www.acme.test/shop/start';

function jarWith(lines: readonly string[], url = SITE, nowMs?: () => number): CookieJar {
  const jar = new CookieJar(nowMs);
  const headers = new Headers();
  for (const line of lines) headers.append('set-cookie', line);
  jar.keep(url, headers);
  return jar;
}

test('a cookie is sent to its host, below its path, and nowhere else', () => {
  const jar = jarWith(['seen=1']);
  expect(jar.headerFor('https://www.acme.test/shop/team')).toBe('seen=1');
  expect(jar.headerFor('https://www.acme.test/shopping')).toBeNull();
  expect(jar.headerFor('https://acme.test/shop/team')).toBeNull();
  expect(jar.headerFor('https://shop.www.acme.test/shop/team')).toBeNull();
  expect(jar.headerFor('https://other.test/shop/team')).toBeNull();
});

test('a domain attribute counts when it contains the host and is not a public suffix', () => {
  const jar = jarWith(['a=1; Domain=.ACME.test; Path=/']);
  expect(jar.headerFor('https://acme.test/')).toBe('a=1');
  expect(jar.headerFor('https://notacme.test/')).toBeNull();
  for (const domain of ['other.test', 'test', 'co.uk', 'deep.www.acme.test']) {
    expect(jarWith([`a=1; Domain=${domain}; Path=/`]).headerFor(SITE)).toBeNull();
  }
  expect(
    jarWith(['a=1; Domain=github.io'], 'https://me.github.io/').headerFor('https://you.github.io/'),
  ).toBeNull();
});

test('secure cookies need https, and are sent only there', () => {
  expect(jarWith(['a=1; Secure; Path=/']).headerFor('http://www.acme.test/')).toBeNull();
  expect(jarWith(['a=1; Secure; Path=/']).headerFor(SITE)).toBe('a=1');
  expect(jarWith(['a=1; Secure'], 'http://acme.test/').headerFor('https://acme.test/')).toBeNull();
});

test('cookies expire by age before date, are replaced by name, and can be deleted', () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const jar = jarWith(
    [
      'a=1; Path=/; Max-Age=60; Expires=Wed, 01 Jan 2020 00:00:00 GMT',
      'b=1; Path=/',
      'b=2; Path=/',
    ],
    SITE,
    () => now,
  );
  expect(jar.headerFor(SITE)).toBe('a=1; b=2');
  now += 61_000;
  expect(jar.headerFor(SITE)).toBe('b=2');
  jar.keep(
    SITE,
    new Headers({ 'set-cookie': 'b=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT' }),
  );
  expect(jar.headerFor(SITE)).toBeNull();
});

test('the newest fifty cookies of up to 4 KB are kept, and a header has at most 8 KB', () => {
  const many = Array.from({ length: 60 }, (_, at) => `c${at}=1; Path=/`);
  const jar = new CookieJar();
  for (const line of many) jar.keep(SITE, new Headers({ 'set-cookie': line }));
  const sent = (jar.headerFor(SITE) ?? '').split('; ');
  expect(sent).toHaveLength(50);
  expect(sent[0]).toBe('c10=1');
  expect(jarWith([`a=${'x'.repeat(4_096)}`]).headerFor(SITE)).toBeNull();
  const long = ['a', 'b', 'c'].map((name) => `${name}=${'x'.repeat(4_000)}; Path=/`);
  expect(jarWith(long).headerFor(SITE)).toHaveLength(8_006);
});

test('no line breaks the header of a later request', () => {
  const units = fc.array(fc.integer({ min: 1, max: 0xff }), { maxLength: 80 });
  fc.assert(
    fc.property(units, (codes) => {
      const line = String.fromCharCode(...codes).replaceAll(/[\0\r\n]/g, ' ');
      const sent = jarWith([`a=${line}; Path=/`]).headerFor(SITE);
      if (sent !== null) new Headers({ cookie: sent });
    }),
  );
});
