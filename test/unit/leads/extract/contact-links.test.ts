import { expect, test } from 'vitest';

import { openPage } from '#src/files/open-page.ts';
import { readContactLinks } from '#src/leads/extract/contact-links.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

function read(html: string, region: string | null = 'DE'): string[] {
  const cards = readContactLinks({ url: 'https://acme.test/', html, page: openPage(html), region });
  return cards.flatMap(({ technique, emails, phones }) =>
    [...emails, ...phones].map((value) => `${technique} ${value}`),
  );
}

test.each([
  'mailto:?subject=Look&body=https://acme.test',
  'mailto:?to=&body=a@b.test',
  'mailto:you@example.com',
  'mailto:',
  'https://wa.me/?text=https%3A%2F%2Facme.test',
  'https://wa.me/message/ABCDEF1',
  'https://api.whatsapp.com/send?text=jane@acme.test',
  'whatsapp://send?text=hi',
  'https://notwhatsapp.com/send?phone=491711234567',
  'https://chat.whatsapp.com/491711234567',
  'tel:',
  'tel:1234567890',
  'tel:110',
  'callto:jane.doe',
  'sms:?body=hi',
  'fax:+4930901829',
  'javascript:void(0)',
  '#tel:+4930901820',
  'https://acme.test/?email=jane@acme.test',
  '%',
])('the link %j yields no contact', (href) => {
  expect(read(`<a href="${href}">x</a>`)).toEqual([]);
});

test.each([
  ['mailto:jane@acme.test?subject=Hello&amp;body=x@y.test', ['mailto jane@acme.test']],
  ['MAILTO:Jane%40Acme.test', ['mailto jane@acme.test']],
  ['mailto:%6a%61ne@acme.test', ['mailto jane@acme.test']],
  ['mailto://jane@acme.test', ['mailto jane@acme.test']],
  [' mailto: jane@acme.test ', ['mailto jane@acme.test']],
  ['http://mailto:jane@acme.test', ['mailto jane@acme.test']],
  ['mailto:Jane%20Doe%20%3Cjane@acme.test%3E', ['mailto jane@acme.test']],
  ['mailto:jörg@münchen.de', ['mailto jörg@münchen.de']],
  ['mailto:j%C3%B6rg@xn--mnchen-3ya.de', ['mailto jörg@münchen.de']],
  ['mailto:a+b@acme.test', ['mailto a+b@acme.test']],
  [
    'mailto:a@acme.test,b@acme.test;c@acme.test?cc=x@acme.test&bcc=y@acme.test&to=d%2Be@acme.test',
    ['mailto a@acme.test', 'mailto b@acme.test', 'mailto c@acme.test', 'mailto d+e@acme.test'],
  ],
  ['tel:+49-30-901820', ['tel-link +4930901820']],
  ['TEL: 030 901820', ['tel-link +4930901820']],
  ['tel:+49%20(0)30%20901820', ['tel-link +4930901820']],
  ['callto:+4930901820', ['tel-link +4930901820']],
  ['sms:+4930901820?body=x', ['tel-link +4930901820']],
  ['tel:+15551234567', ['tel-link +15551234567']],
  ['https://wa.me/491711234567?text=hi', ['whatsapp +491711234567']],
  ['//wa.me/+491711234567/', ['whatsapp +491711234567']],
  ['wa.me/491711234567', ['whatsapp +491711234567']],
  ['https://api.whatsapp.com/send/?phone=%2B491711234567&text=x', ['whatsapp +491711234567']],
  ['https://web.whatsapp.com/send?phone=00491711234567', ['whatsapp +491711234567']],
  ['whatsapp://send?phone=491711234567', ['whatsapp +491711234567']],
  ['https://wa.me/01711234567', ['whatsapp +491711234567']],
])('the link %j yields %j', (href, found) => {
  expect(read(`<a href="${href}">x</a>`)).toEqual(found);
});

test('a fax behind a tel: link is not a phone number', () => {
  expect(
    read(
      '<p>Fax: <a href="tel:+4930901829">+49 30 901829</a> Tel: <a href="tel:+4930901820">x</a></p>' +
        '<a href="tel:+4930901828">Fax 030 901828</a>',
    ),
  ).toEqual(['tel-link +4930901820']);
});

test('each value is returned once, with the position of its link, and not from scripts or templates', () => {
  const html =
    '<script>"<a href=mailto:no@acme.test>"</script><template><a href="mailto:no@acme.test"></a></template>' +
    '<a href="mailto:jane@acme.test">1</a><map><area href="mailto:jane@acme.test"></map>';
  const cards = readContactLinks({
    url: 'https://acme.test/',
    html,
    page: openPage(html),
    region: null,
  });
  expect(cards).toHaveLength(1);
  expect(cards[0]?.offset).toBe(html.indexOf('mailto:jane'));
  expect(cards[0]?.kind).toBe('page');
});

test('pages of links and endless links take linear time', () => {
  for (const html of [
    '<a href="mailto:a@b.test">'.repeat(20_000),
    `<a href="mailto:${'a@,'.repeat(500_000)}">`,
    `<a href="tel:${'1 '.repeat(1_000_000)}">`,
    `<a href="https://wa.me/${'1'.repeat(2_000_000)}">`,
    Array.from({ length: 20_000 }, (_, index) => `<a href="mailto:a${index}@b&#46;test">`).join(''),
  ]) {
    expect(cpuMsOf(() => read(html))).toBeLessThan(5_000);
  }
});

test.each([
  ['<button data-tel="020 7946 0124">Show</button>', ['+442079460124']],
  ['<span data-phone="+44 20 7946 0124" class="more">020 7946 …</span>', ['+442079460124']],
  ['<button data-phone="true">Show</button>', []],
  ['<button data-tel="123">Show</button>', []],
])('a number that a click shows counts like a link: %s', (html, phones) => {
  const source = { url: 'https://acme.test/', html, page: openPage(html), region: 'GB' };
  expect(readContactLinks(source).flatMap((card) => card.phones)).toEqual(phones);
});
