import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { columnNamed } from '#src/leads/extract/table-columns.ts';
import { isLocalSite } from '#src/leads/merge/is-local-site.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';

function contacts(html: string, url = 'https://acme.test/'): string[] {
  const page = extractPage({ url, html, kind: 'html' });
  return mergeLeads([page], new URL(url).host).flatMap(({ emails, phones }) =>
    [...emails, ...phones].map(({ value }) => value),
  );
}

describe('a site without an address of its own domain', () => {
  test.each([
    '<footer>Website by Teme Web Studio, studio@teme.test, +44 1584 496050</footer>',
    '<p>Webdesign: Pixelhafen, <a href="mailto:hallo@pixelhafen.test">Mail</a></p>',
    '<h3>Hébergement</h3><p>Nuage du Sud</p><p>support@nuage.test</p><p>+33 9 72 10 10 07</p>',
    '<h3>Organ prowadzący</h3><p>Powiat<br>tel. +48 68 355 40 00</p>',
    '<h3>Selbsthilfe</h3><p>Die Gruppe trifft sich. Tel. +49 2202 471012</p>',
    '<p>Hosting by Cloudy<br>help@cloudy.test</p>',
    '<ol class="comments"><li>Lovely! petra@inbox.test</li></ol>',
    '<div id="comments"><p>Call me, +44 1584 496050, rd@home.test</p></div>',
    '<p>Photos by Ada Lens, ada@lens.test</p>',
    '<h4>Press contact of Trade Fair Ltd</h4><p>press@fair.test</p>',
  ])('yields nothing from %s', (html) => {
    expect(contacts(html)).toEqual([]);
  });

  test('yields other addresses, including those of people', () => {
    expect(contacts('<p>Ring Prudence or write to prudence.hay@post.test</p>')).toEqual([
      'prudence.hay@post.test',
    ]);
  });

  test('keeps an address that also appears elsewhere on the page', () => {
    const html = '<p>hi@studio.test</p><h2>Next</h2><p>Website by us: hi@studio.test</p>';
    expect(contacts(html)).toEqual(['hi@studio.test']);
  });
});

test.each([
  'Giftnotruf: 0228 19 240',
  'Zuständige Kammer: Ärztekammer Rheinufer, Weg 9, 40474 Düsseldorf, Tel. 0211 4302-5501',
  'Zuständige Gewerkschaft: Jane Doe, Tel. 0211 4302-5501',
  'Gewerbeaufsichtsamt, Tel. 0211 4302-5501',
  'Vertretung: Praxis Habicht, Neusser Str. 5, Tel. 0221 4710700',
  'Vertretung: Praxis Dr. Rolf Habicht, Neusser Str. 555, Tel. 0221 4710700',
  'ホームページ制作：すずめ企画　03-3555-0199',
  'Karten im Tourismusbüro, Tel. 0221 4302-5501',
  'Beispiel: Erika Muster, Telefon 0221 4302-5501',
  'Presseanfragen bitte nur an das Polizeipräsidium, Tel. 0221 4302-5501',
  'Conselho Tutelar: Tel. 0221 4302-5501',
  'Zgłoszenia: Powiatowy Lekarz Weterynarii, tel. 0221 4302-5501',
  'Hätätilanteessa soita meripelastuskeskukseen, puh. 0221 4302-5501',
  'Akutní případy ošetří poliklinika Meziříčany, tel. 0221 4302-5501',
  'Prévention du suicide : tél. 0221 4302-5501',
  'Webmaster: Klaver Webbouw, Tel. 0221 4302-5501',
  'Uniforms are ordered from Hession, tel. 0221 4302-5501',
  'Lieferant: Gemüse Huber, Tel. 0221 4302-5501',
  'Revisor: Vester Revision, statsautoriserede revisorer, tel. 0221 4302-5501',
  'Die Schulpsychologin kommt aus Köln, Tel. 0221 4302-5501',
  'Skargę przyjmuje Urząd Ochrony, ul. Stawki, tel. 0221 4302-5501',
  'Die Ersatzteile kommen von Frigo Huber, Tel. 0221 4302-5501',
  'Resolução de litígios: Centro de Arbitragem, tel. 0221 4302-5501',
  'Resolução alternativa de litígios, tel. 0221 4302-5501',
  'Vegtrafikksentralen (tlf. 0221 4302-5501) opplyser at veien er stengt',
  'The show is sponsored by Thornley Supplies, tel. 0221 4302-5501',
  'Autocares Huber, tel. 0221 4302-5501',
  'Le verdure arrivano da Podere Huber, tel. 0221 4302-5501',
  'Seguro: póliza 0221 4302-5501',
  'Webauftritt: Huber Medien GmbH, Tel. 0221 4302-5501',
  'Levert av Huber AS, tlf. 0221 4302-5501',
  'Loja criada por Huber, tel. 0221 4302-5501',
  'Κατασκευή: Huber 0221 4302-5501',
  'Telefaks 0221 4302-5501',
  'Title IX Coordinator: 0221 4302-5501',
  'Kurýr Letka, infolinka 0221 4302-5501',
  'Poruchová linka 0221 4302-5501',
  'Nationella hjälplinjen: 0221 4302-5501',
  'Averías de agua 0221 4302-5501',
  'Capitainerie de l’écluse : 0221 4302-5501',
  'Biljetter via Kulturkassan 0221 4302-5501',
  'Haustierregister TASSO: 0221 4302-5501',
  'InfoConsumator: 0221 4302-5501',
  'Call the IRS at 0221 4302-5501',
  'Skatteverket, tfn 0221 4302-5501',
  'ANPC: 0221 4302-5501',
  'Knjigovodstvo: Renata Vučić, 0221 4302-5501',
  'Laboratuvarımız: Porselen Evi, 0221 4302-5501',
  'Wählen Sie Tel. 0221 4302- und die Durchwahl',
  'Rekening NL18 RABO 0306 5144 20',
  'Urakoitsija Lasi-Karppi Oy, työnjohto Mauri Karppi, 0221 4302-5501',
  'Zhotovitel: Jan Dvořák, 0221 4302-5501',
  'Úřad práce: 0221 4302-5501',
  'Valtakunnallinen kriisipuhelin 0221 4302-5501',
  'Your MP is Sir Anthony Wake, 0221 4302-5501',
  'Hallentelefon (Hausmeister, nicht wir!): 0221 4302-5501',
  'Geen acquisitie, ook niet van Werfkracht (Dennis, 0221 4302-5501)',
  'Jméno a telefon, např. Josef Novák, 0221 4302-5501',
])('a number of another office is left out: %s', (text) => {
  const own = '<p>Tel. +49 221 4710555</p>';
  expect(contacts(`<html lang="de"><body>${own}<p>${text}</p></body></html>`)).toEqual([
    '+492214710555',
  ]);
});

test('a number in the sentence before stays, and so does that of the office on its own site', () => {
  const text = '<p>Rufen Sie an: Tel. 0221 4710555. Polizei: 0221 229-0</p>';
  expect(contacts(`<html lang="de"><body>${text}</body></html>`)).toEqual(['+492214710555']);
  const own = '<title>Feuerwehr Lindenau</title><p>Feuerwehr Lindenau, Tel. 0221 4710555</p>';
  expect(contacts(`<html lang="de">${own}</html>`)).toEqual(['+492214710555']);
  const info = '<title>Touristinformation Lindenau</title><p>Apotheke, Tel. 0221 4710555</p>';
  expect(contacts(`<html lang="de">${info}</html>`)).toEqual(['+492214710555']);
  // The police are another office than the fire brigade.
  const both = `${own}<p>Polizei: Tel. 0221 229-0</p>`;
  expect(contacts(`<html lang="de">${both}</html>`)).toEqual(['+492214710555']);
});

test('what a cell says before a number is not in another cell', () => {
  const cell = (...lines: string[]): string =>
    `<html lang="de"><table><tr><td>${lines.map((line) => `<p>${line}</p>`).join('')}</td></tr></table>`;
  expect(contacts(cell('Feuerwehr', 'Leitung: Jane Doe, Tel. 0221 4710555'))).toEqual([
    '+492214710555',
  ]);
});

test('a line for people in need is not even the number of such an office', () => {
  const html =
    '<html lang="en-GB"><title>Skelder Town Council</title><p>Telephone: 0191 498 0300</p><p>Floodline 0345 988 0000</p></html>';
  expect(contacts(html)).toEqual(['+441914980300']);
});

test('an address on the domain of the site is its own, whatever the text beside it', () => {
  expect(contacts('<p>Website by our own team: web@acme.test</p>')).toEqual(['web@acme.test']);
});

test('numbers below a heading for useful numbers are left out', () => {
  const html =
    '<p>Tel. +49 221 4710555</p><h3>Teléfonos de interés</h3><ul><li>Autobuses: +49 221 43025501</li></ul>';
  expect(contacts(html)).toEqual(['+492214710555']);
});

test.each([
  'Kde nás koupíte',
  'Nos producteurs',
  'Unsere Lieferanten',
  'Where to buy',
  'Ils nous soutiennent',
  'Rivenditori',
])('numbers in a table below the heading %s are left out', (heading) => {
  const cells = (words: string[]): string =>
    `<tr>${words.map((word) => `<td>${word}</td>`).join('')}</tr>`;
  const rows = [
    ['Shop', 'Town', 'Phone'],
    ['Good Yarn', 'Brno', 'by mail'],
    ['Needle', 'Litomyšl', 'by mail'],
    ['Fold', 'Mlýn', '+49 221 43025501'],
  ];
  const table = `<table>${rows.map(cells).join('')}</table>`;
  expect(contacts(`<p>Tel. +49 221 4710555</p><h2>${heading}</h2>${table}`)).toEqual([
    '+492214710555',
  ]);
});

test('a page about emergencies does not make its site such an office', () => {
  const html =
    '<html lang="de"><title>Notdienst - acme</title><p>Tel. 0221 4710555</p><p>Giftnotruf: 0228 19 240</p></html>';
  expect(contacts(html)).toEqual(['+492214710555']);
});

test('a works (製作所) is not the maker of a site (製作), so it has numbers of others', () => {
  const html =
    '<html lang="ja"><title>宮里製作所</title><p>電話 0285-55-0140</p><p>タクシー 0285-22-0000</p></html>';
  expect(contacts(html)).toEqual(['+81285550140']);
});

test('a number that is only marked up as a fax is none', () => {
  const html = '<p>Tel. +49 221 4710555</p><span itemprop="faxNumber">+49 221 43025501</span>';
  expect(contacts(html)).toEqual(['+492214710555']);
});

test.each([
  'http://127.0.0.5:3333/',
  'http://localhost:8080/',
  'http://[::1]/',
  'http://intranet/',
])('no address is foreign at %s', (url) => {
  expect(contacts('<p>joe@other.org, ann@third.test</p>', url)).toEqual([
    'joe@other.org',
    'ann@third.test',
  ]);
});

test.each([
  ['127.0.0.1', true],
  ['127.0.0.1:8080', true],
  ['[::1]:8080', true],
  ['::1', true],
  ['localhost:80', true],
  ['intranet', true],
  ['acme.test', false],
  ['acme.test:8080', false],
  ['1.acme.test', false],
])('whether %s is local: %s', (domain, isLocal) => {
  expect(isLocalSite(domain)).toBe(isLocal);
});

test.each([
  ['E-Mail', 'email'],
  ['Telefon:', 'phone'],
  ['Tel.', 'phone'],
  ['Tel. / Mobil', 'phone'],
  ['Fax', 'fax'],
  ['Имя', 'name'],
  ['Imię i nazwisko', 'name'],
  ['役職', 'title'],
  ['Nom et prénom', 'name'],
  ['Name of the dog', null],
  ['Price', null],
  ['', null],
])('the heading %j names a column %s', (head, column) => {
  expect(columnNamed(head)).toBe(column);
});

test('numbers below a phone heading count, but those below a fax heading do not', () => {
  const html =
    '<table><tr><th>Desk</th><th>Phone</th><th>Fax</th></tr><tr><td>Front</td><td>555-123-4567</td><td>555-123-4599</td></tr></table>';
  expect(contacts(html)).toEqual(['+15551234567']);
});

test('contacts of the organization are kept on a page with people', () => {
  const html =
    '<h1>Bolt &amp; Co</h1><p>hello@acme.test, Phone: +1 415 555 2671</p><div class="member"><h3>Jane Smith</h3><p>CEO</p><p>jane@acme.test</p></div>';
  const page = extractPage({ url: 'https://acme.test/', html, kind: 'html' });
  expect(mergeLeads([page], 'acme.test')).toMatchObject([
    {
      kind: 'organization',
      emails: [{ value: 'hello@acme.test' }],
      phones: [{ value: '+14155552671' }],
    },
    { kind: 'person', emails: [{ value: 'jane@acme.test' }], phones: [] },
  ]);
});

test('a certified address that is named like the site is its own', () => {
  const html = '<p>info@acme.test</p><p>PEC: acme@pec.cert.test, altri@pec.cert.test</p>';
  expect(contacts(html)).toEqual(['info@acme.test', 'acme@pec.cert.test']);
});

test('a local number gets the area code of a number of the same exchange', () => {
  const html =
    '<html lang="de"><p>Tel. (040) 6 69 69-100</p><p>Ada Lens, Tel. 66969-214</p><p>Tel. 0171 3920011</p>';
  expect(contacts(html, 'https://acme.de/')).toEqual([
    '+494066969100',
    '+494066969214',
    '+491713920011',
  ]);
});

test('among many numbers, as a directory has, none is completed', () => {
  const others = Array.from({ length: 60 }, (_, n) => `<p>Tel. (030) 2${n + 1_000}40</p>`);
  const html = '<html lang="de"><p>Tel. (040) 6 69 69-100</p><p>Ada Lens, Tel. 66969-214</p>';
  const found = (count: number) =>
    contacts(html + others.slice(0, count).join(''), 'https://acme.de/');
  expect(found(5)).toContain('+494066969214');
  expect(found(60)).not.toContain('+494066969214');
});

test('a mobile number completes no local number', () => {
  const html = '<html lang="de"><p>Tel. 0171 6696911</p><p>Ada Lens, Tel. 66969-214</p>';
  expect(contacts(html, 'https://acme.de/')).toContain('+4966969214');
});

test('a mobile number is not completed', () => {
  const html = '<html lang="it"><p>P.IVA</p><p>02347804122</p><p>Cell. 347 80 41 226</p>';
  expect(contacts(html, 'https://acme.it/')).toContain('+393478041226');
});

test('a complete number is not completed by one as long that has its first digits inside', () => {
  const html = '<html lang="de"><p>Tel. +49 40 30123456</p><p>Tel. +49 30 12345678</p>';
  expect(contacts(html, 'https://acme.de/')).toEqual(['+494030123456', '+493012345678']);
});

test('a number behind a firm in a sentence is that of the firm, unless it is the host', () => {
  const html = (firm: string): string =>
    `<p>info@acme.test</p><p>Maleriet er gjort hos ${firm} AS, tlf. +47 22 07 30 00.</p>`;
  expect(contacts(html('Sogn Tall'))).toEqual(['info@acme.test']);
  expect(contacts(html('Acme'))).toEqual(['info@acme.test', '+4722073000']);
});

test('a number some way before the address of a stranger stays with the host', () => {
  const html =
    '<p>tel. +48 58 673 40 17</p><p>Konto: 61 1090 1014 0000 0712 1981 2874</p><p>W sprawie danych osobowych prosimy pisać na adres inspektora, Krzysztof Ptak, Kancelaria Lex Baltica, iod@lexbaltica.test</p>';
  expect(contacts(`<p>info [at] acme.test</p>${html}`)).toEqual(['info@acme.test', '+48586734017']);
});

test('the language that a page states for its transport tells the country of its numbers', () => {
  const html = '<p>Telefon: 461 612 930</p><p>info@acme.test</p>';
  const head = '<meta http-equiv="Content-Language" content="cs">';
  expect(contacts(html)).toEqual(['info@acme.test']);
  expect(contacts(head + html)).toEqual(['info@acme.test', '+420461612930']);
});

test('a number right behind a link to another site is the number of that site', () => {
  const html = (link: string): string => `<p>info@acme.test</p><p>${link}, +45 98 94 12 00</p>`;
  expect(contacts(html('<a href="https://harbour.test/">Harbour</a>'))).toEqual(['info@acme.test']);
  expect(contacts(html('<a href="/harbour">Harbour</a>'))).toContain('+4598941200');
});

test('a number in a paragraph of its own, with a label, is not that of a stranger in the next', () => {
  const stranger = '<p>Inspektor: Lex Baltica, iod@lexbaltica.test</p>';
  const own = '<p>info [at] acme.test</p>';
  const labelled = '<p>Awarie (całą dobę): +48 14 681 04 44</p>';
  expect(contacts(own + stranger + labelled)).toContain('+48146810444');
  expect(contacts(`${own}${stranger}<p>+48 14 681 04 44</p>`)).toEqual(['info@acme.test']);
});

test('an address elsewhere is the site’s if one of its parts is the name', () => {
  const own = '<p>info@audeval.test</p>';
  const read = (address: string): string[] =>
    contacts(`${own}<p>${address}</p>`, 'https://audeval.test/');
  expect(read('gestion.audeval@schools.test')).toContain('gestion.audeval@schools.test');
  expect(read('gestion.other@schools.test')).toEqual(['info@audeval.test']);
});

test.each([
  'Beschwerden: Kant. Abteilung Wald, +41 55 646 00 00',
  'TELVERDE Ministerul Sănătății: +40 256 999 870',
  'Puede reclamar ante la Autoridad de Protección de Datos, calle del Olmo 6, Madrid, tel. +34 91 000 01 18',
  'Frauennotruf: +43 1 71719',
  'Ask the manufacturer on +44 20 7946 0119',
  'Fuente: Lonja, +34 978 00 07 00',
  'Prüfungsamt der Universität: Frau Roth, Tel. +49 30 23125777',
  'Kuluttajaneuvonta, p. +358 9 5053050',
])('%s is the number of somebody else', (text) => {
  expect(contacts(`<p>info@acme.test</p><p>${text}</p>`)).toEqual(['info@acme.test']);
});

test('numbers below a heading for others that are useful are theirs', () => {
  const html = '<p>info@acme.test</p><h3>Andre nyttige nummer</h3><p>Varsling: +47 51 64 60 91</p>';
  expect(contacts(html)).toEqual(['info@acme.test']);
});

test('a lawyer with the title before the surname is no firm', () => {
  const html =
    '<p>info@acme.test</p><p>Guardia penal: atiende el Lic. Cisneros, +52 442 187 4055</p>';
  expect(contacts(html)).toContain('+524421874055');
});

test('those who are in charge of work in a garage are of the site', () => {
  const html = '<p>info@acme.test</p><p>Työnjohto: Kari Lehtimäki, p. +358 3 2345621</p>';
  expect(contacts(html)).toContain('+35832345621');
});
