import { expect, test } from 'vitest';

import { openPage } from '#src/files/open-page.ts';
import { readVisibleText } from '#src/leads/extract/visible-text.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

function read(html: string, region: string | null = 'DE'): string[] {
  const source = { url: 'https://acme.test/', html, page: openPage(html), region };
  return readVisibleText(source).flatMap(({ emails, phones }) => [...emails, ...phones]);
}

test.each([
  '<script>var a = "jane@acme.test"</script>',
  '<style>/* jane@acme.test */</style>',
  '<!-- jane@acme.test +49 30 901820 -->',
  '<p hidden>jane@acme.test</p>',
  '<div style="display:none"><p>jane@acme.test +49 30 901820</p></div>',
  '<template>jane@acme.test</template>',
  '<title>jane@acme.test</title>',
  '<p>ja<span style="display:none">x</span>ne@acme.test</p>',
  '<p><bdo dir="rtl">tset.emca@enaj</bdo></p>',
  '<p>logo@2x.png, you@example.com, bootstrap@5.3.2, user@host</p>',
  '<p>https://medium.com/@jane@mastodon.social/x</p>',
])('%s shows no address and no number', (html) => {
  expect(read(html)).toEqual([]);
});

test.each([
  ['<p>Write to jane@acme.test.</p>', 'jane@acme.test'],
  ['<p>(Jane.Doe@Acme.TEST)</p>', 'jane.doe@acme.test'],
  ['<b>E-Mail</b>jane@acme.test', 'jane@acme.test'],
  ['<p><span>jane</span><span>@</span><span>acme.test</span></p>', 'jane@acme.test'],
  ['<p><b>j</b>ane@acme.test</p>', 'jane@acme.test'],
  ['<p>jane@<wbr>acme.test</p>', 'jane@acme.test'],
  ['<p>jane@acme.testTel 1</p>', 'jane@acme.test'],
  ['<p>jane@acme.test<br>www.acme.test</p>', 'jane@acme.test'],
  ['<table><td>E-Mail<td>jane&#64;acme&period;test<td>x</table>', 'jane@acme.test'],
  ['<p>jörg@münchen.de</p>', 'jörg@münchen.de'],
  ['<pre>mailto:jane@acme.test</pre>', 'jane@acme.test'],
])('%s shows %s', (html, email) => {
  expect(read(html)).toEqual([email]);
});

test.each([
  ['Am 10.12.2024, 2024-01-02, 1/2/2024, 01.01.2020 - 31.12.2020 und 2019-2024', 'DE'],
  ['IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX', 'DE'],
  ['HRB 123456, USt-IdNr. DE123456789, Steuernummer: 27/123/45678', 'DE'],
  ['1.234.567,00 € oder 030 901820 € oder EUR 030 901820', 'DE'],
  ['192.168.100.100 und 52.520008, 13.404954', 'DE'],
  ['Bestellnummer: 030 901820, Kundennummer 030-901820', 'DE'],
  ['1234567890 12345678 0123456789', 'DE'],
  ['123 456 789 Stück', 'DE'],
  ['Mo-Fr 08:00-12:00, 08.00 - 18.00 Uhr', 'DE'],
  ['SIRET 552 100 554 00025, RCS Paris 552 100 554', 'FR'],
  ['Company No. 01234567 VAT GB 123 4567 89', 'GB'],
  ['$1,234,567 and 40.7128, -74.0060 and 94105-1234', 'US'],
  ['ISBN 978-3-16-148410-0', 'US'],
  ['Order 415-555-2671', 'US'],
  ['© 2019 - 2024', 'US'],
  ['file-415-555-2671.jpg /415-555-2671/', 'US'],
  ['030 901820', null],
  ['555 123 4567', null],
  ['+1 555 12', null],
])('no number in %j (%s) is a phone number', (text, region) => {
  expect(read(`<p>${text}</p>`, region)).toEqual([]);
});

test.each([
  ['Rufen Sie an unter 030 901820.', 'DE', ['+4930901820']],
  ['(415) 555-2671 or 415.555.2672', 'US', ['+14155552671', '+14155552672']],
  ['+33 (0)1 42 68 53 00', null, ['+33142685300']],
  ['call +1 555 123 4567', null, ['+15551234567']],
  ['Phone: (555) 123-4567', null, ['+15551234567']],
  ['Tel: 555-123-4567', null, ['+15551234567']],
  ['Tel: 555-123-4567', 'ES', []],
  ['01.42.68.53.00', 'FR', ['+33142685300']],
  ['020 7946 0958', 'GB', ['+442079460958']],
  ['8 (812) 327-45-11', 'RU', ['+78123274511']],
])('the phone numbers in %j (%s) are %j', (text, region, phones) => {
  expect(read(`<p>${text}</p>`, region)).toEqual(phones);
});

test.each([
  ['Tel. 030/90 18 20-0', 'DE', '+49309018200'],
  ['Tel. Nr.: 030 901820', 'DE', '+4930901820'],
  ['Tel/Fax: 030 901820', 'DE', '+4930901820'],
  ['Handy 0171 1234567', 'DE', '+491711234567'],
  ['T: +1 555 123 4567', null, '+15551234567'],
  ['Phone: +1 555 123 4567', null, '+15551234567'],
  ['Mobile +44 7700 900123', null, '+447700900123'],
  ['Tél. : 01 42 68 53 00', 'FR', '+33142685300'],
  ['Téléphone 01 42 68 53 00', 'FR', '+33142685300'],
  ['Teléfono: 912 345 678', 'ES', '+34912345678'],
  ['Telefone: 21 123 4567', 'PT', '+351211234567'],
  ['Telefono: 06 6982 0000', 'IT', '+390669820000'],
  ['Telefoon 020 123 4567', 'NL', '+31201234567'],
  ['Telefon: 22 123 45 67', 'PL', '+48221234567'],
  ['Телефон: 8 (495) 123-45-67', 'RU', '+74951234567'],
  ['電話：03-1234-5678', 'JP', '+81312345678'],
  ['전화 02-312-3456', 'KR', '+8223123456'],
  ['هاتف: 04 123 4567', 'AE', '+97141234567'],
  ['Τηλ. 210 123 4567', 'GR', '+302101234567'],
])('the label in %j (%s) marks %s', (text, region, phone) => {
  expect(read(`<p>${text}</p>`, region)).toEqual([phone]);
});

test('a label in the previous cell, line or element applies to the numbers that follow', () => {
  expect(read('<dl><dt>Telefon</dt><dd>+49 (0)30 / 90 18 20 - 0</dd></dl>')).toEqual([
    '+49309018200',
  ]);
  expect(read('<table><tr><td>Telefon</td><td>030 901820</td></tr></table>')).toEqual([
    '+4930901820',
  ]);
  expect(read('<h4>Phone</h4><p>+1 555 123 4567 / +1 555 123 4568</p>')).toEqual([
    '+15551234567',
    '+15551234568',
  ]);
  expect(read('<p>Tel. 030 901820 / 901821</p>')).toEqual(['+4930901820']);
});

test('a number of phone and fax is a phone number', () => {
  expect(read('<p>Tel. y fax: 921 40 12 86</p>', 'ES')).toEqual(['+34921401286']);
  expect(read('<p>Tel./Fax: 030 901820</p>')).toEqual(['+4930901820']);
});

test.each(['Nr. 0413-2210', 'codice 0585-14-20', 'código 0585-14-20'])(
  '"%s" is no phone number',
  (text) => {
    expect(read(`<p>Zertifiziert, Kategorie I, ${text}.</p>`, 'IT')).toEqual([]);
  },
);

test('a fax is not a phone number, wherever its label is', () => {
  expect(read('<p>Tel: 030 901820 Fax: 030 901829</p>')).toEqual(['+4930901820']);
  expect(read('<dt>Telefax</dt><dd>+49 30 901829</dd>')).toEqual([]);
  expect(read('<p>F: +49 30 901829</p>')).toEqual([]);
  expect(read('<p>+49 30 901829 (Fax)</p>')).toEqual([]);
  expect(read('<p>030 901820 Fax</p>')).toEqual([]);
  expect(read('<p>T 030 901820 F 030 901829</p>')).toEqual(['+4930901820']);
  expect(read('<p>Факс: +7 495 123 45 67</p>')).toEqual([]);
  expect(read('<p>FAX：03-1234-5678</p>', 'JP')).toEqual([]);
  expect(read('<li><i class="fas fa-fax"></i><span>030 901829</span></li>')).toEqual([]);
  expect(
    read('<p><i class="fa-phone"></i> 030 901820<br><i class="fa-fax"></i> 030 901829</p>'),
  ).toEqual(['+4930901820']);
});

test('cards record the position of their values', () => {
  const html = '<p>jane@acme.test, Tel. 030 901820</p>';
  const cards = readVisibleText({
    url: 'https://acme.test/',
    html,
    page: openPage(html),
    region: 'DE',
  });
  expect(cards.map(({ technique, kind, offset }) => ({ technique, kind, offset }))).toEqual([
    { technique: 'visible-text', kind: 'page', offset: html.indexOf('jane') },
    { technique: 'visible-text', kind: 'page', offset: html.indexOf('030') },
  ]);
});

test.each([
  ['a'.repeat(2e6)],
  ['a@'.repeat(1e6)],
  ['1 '.repeat(1e6)],
  ['1'.repeat(2e6)],
  [' '.repeat(2e6)],
  ['('.repeat(2e6)],
  ['+ '.repeat(1e6)],
  ['030 901820, '.repeat(1.6e5)],
  ['Tel: 030 901820 '.repeat(1e5)],
  ['Tel '.repeat(5e5)],
  [`${'é.'.repeat(1e6)}@`],
  ['a@b.de '.repeat(3e5)],
])('a bomb is read in time (%#)', (html) => {
  expect(cpuMsOf(() => read(html))).toBeLessThan(5_000);
});

test('a number in a sentence counts if one may call it, and behind a sentence', () => {
  const certificate =
    'Das Zeugnis stellt auch Frau Dr. Roth aus (0221 4710890), die dort arbeitet.';
  expect(read(`<p>${certificate}</p>`)).toEqual([]);
  expect(read('<p>Zum Probetraining bitte kurz anrufen, am besten 0221 4710890.</p>')).toEqual([
    '+492214710890',
  ]);
  expect(read('<p>Das Haus steht immer für alle offen. 0221 4710890</p>')).toEqual([
    '+492214710890',
  ]);
});

test('a number for text messages is a phone number, and so is one behind a label with a note', () => {
  const own = '<p>Tel. 031 390 06 20</p>';
  expect(read(`${own}<p>Jour vid sjukdom samma dag, sms: 070-174 06 30</p>`, 'SE')).toContain(
    '+46701740630',
  );
  const hall = 'Repetitieruimte (alleen maandag na 19.30 uur): 0598-55 52 77';
  expect(read(`<p>Tel. 0598-55 52 10</p><p>${hall}</p>`, 'NL')).toContain('+31598555277');
});

test.each([
  ['DE', 'Fragen beantwortet die ASFINAG unter 0800 400 12 40.', '+498004001240'],
  ['GB', 'The Planning Portal helpdesk is on 0808 157 0192.', '+448081570192'],
  ['NZ', 'Closed until May. Weather: 0800 44 44 49.', '+64800444449'],
  ['NZ', 'Found a hurt animal? 0800 362 468', '+64800362468'],
  ['IT', 'Numero verde antiveleni 800 000 119', '+39800000119'],
  ['FR', 'Fermé le lundi. Transports scolaires : 0 809 10 20 63', '+33809102063'],
  ['GB', 'Claims: 0808 157 0192', null],
  ['IT', 'Numero verde 800 000 119', null],
  ['GB', 'Closed today. Always gratis: 0808 157 0192', null],
  ['GB', 'We are closed. Customer service: 0808 157 0192', null],
  ['GB', 'You can reach our office on 0808 157 0192.', null],
  ['GB', 'Acme Ltd, 1 High Street, London 0808 157 0192', null],
  ['GB', 'Weather: 020 7946 0410', null],
])(
  'a free number behind a sentence or label of others is theirs: %s: %s',
  (region, text, phone) => {
    expect(read(`<p>${text}</p>`, region)).toHaveLength(phone === null ? 1 : 0);
    // With a label it is stated to be a phone number.
    if (phone !== null) expect(read(`<p>Tel. ${phone}</p>`, region)).toEqual([phone]);
  },
);

test.each(['Bestell-Nr.', 'Order no.', 'Código', 'Rechnungsnummer'])(
  'numbers below the heading %s are no phones',
  (heading) => {
    const head = `<tr><th>Modell</th><th>${heading}</th><th>Telefon</th></tr>`;
    const row = '<tr><td>WDB</td><td>0221 4711 400</td><td>0221 4710890</td></tr>';
    expect(read(`<table>${head}${row}</table>`)).toEqual(['+492214710890']);
  },
);

test('a number in a range for authorities is theirs in a sentence, whatever its label', () => {
  expect(read('<p>Apua saa riitatilanteissa, p. 029 505 3050.</p>', 'FI')).toEqual([]);
  expect(read('<p>p. 029 505 3050</p>', 'FI')).toEqual(['+358295053050']);
});

test('a class that marks a phone number is a label', () => {
  const text = (number: string): string =>
    `<p>Tel. 03 234 5600</p><p>Nykyään yritystä johtaa hänen poikansa ${number}.</p>`;
  expect(read(text('050 345 6701'), 'FI')).toEqual(['+35832345600']);
  expect(read(text('<span class="tel">050 345 6701</span>'), 'FI')).toContain('+358503456701');
});

test('a number right behind a person in a sentence counts, unless that is nobody of the site', () => {
  const read2 = (text: string): string[] =>
    read(`<p>Tel. 0256 999 140</p><p>Programul curselor se face cu ${text}.</p>`, 'RO').slice(1);
  expect(read2('Ioana Pescaru, registrator, la numărul 0256 999 152')).toEqual(['+40256999152']);
  expect(read2('firma Ardeal Trans, la numărul 0256 999 152')).toEqual([]);
  const doctor =
    '<p>Tél. 01 99 00 37 20</p><p>Le certificat est établi par Solange Martin, médecin';
  expect(read(`${doctor} (01 99 00 88 14), qui n’est pas membre du club.</p>`, 'FR')).toEqual([
    '+33199003720',
  ]);
});

test('a clause behind a semicolon has its own label', () => {
  const text = 'El veterinario pasa por la oficina los martes; para urgencias, 600 00 01 27.';
  expect(read(`<p>Tel. 978 00 01 18</p><p>${text}</p>`, 'ES')).toContain('+34600000127');
});
