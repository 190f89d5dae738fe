import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import { scanPhones } from '#src/leads/extract/scan-phones.ts';

const phones = (body: string, lang = 'de-DE'): string[] =>
  [
    ...new Set(
      extractPage({
        url: 'https://acme.test/team',
        html: `<html lang="${lang}"><body>${body}</body></html>`,
        kind: 'html',
      }).cards.flatMap((card) => card.phones),
    ),
  ].toSorted();

describe('an extension joins the number of the house', () => {
  test.each([
    ['that ends in a zero', '<p>Zentrale: 02381 4719-0.</p>'],
    ['that is open', '<p>Telefon (02381) 4719-</p>'],
    ['that is open, with dots', '<p>Telefon (02381) 4719-…</p>'],
    ['that it is dialled after', '<p>Durchwahlen wählen Sie bitte nach 02381 / 4719.</p>'],
    ['that all of them are below', '<p>Alle Durchwahlen (DW) unter 02381 / 4719.</p>'],
    ['that they stand behind', '<p>Stammnummer: 02381 4719, dahinter die Durchwahl.</p>'],
    ['that precedes it', '<p>Telefon 02381 / 4719, Durchwahl wie angegeben.</p>'],
  ])('%s', (_, house) => {
    for (const written of ['Durchwahl -17', 'DW 17', 'Durchw.: 17', 'App. 17', 'Nst. 17']) {
      expect(phones(`${house}<h3>Jane Doe</h3><p>Leiterin<br>${written}</p>`)).toContain(
        '+492381471917',
      );
    }
  });

  test('in the column of a table', () => {
    const row = (name: string, number: string): string =>
      `<tr><td>${name}</td><td>Leitung</td><td>${number}</td></tr>`;
    const table = (column: string): string =>
      `<p>Durchwahl nach (040) 66969-.</p><table><tr><th>Name</th><th>Funktion</th><th>${column}</th></tr>${row('Jane Doe', '-101')}${row('John Smith', '-120')}</table>`;
    for (const column of ['Durchwahl', 'Durchw.', 'Tel.']) {
      expect(phones(table(column))).toEqual(['+494066969101', '+494066969120']);
    }
  });

  test.each([
    ['fr', 'Depuis l’extérieur, composer le 04 65 71 suivi du poste.', 'Poste', '+33465714425'],
    ['en-GB', 'Dial 020 7946 followed by the extension.', 'Ext.', '+442079464425'],
    ['en-GB', 'Extensions are direct: put 020 7946 in front.', 'Ext.', '+442079464425'],
    ['es-ES', 'Marque 91 398 seguido de la extensión.', 'Extensión', '+34913984425'],
  ])('where a page says that it follows: %s', (lang, house, head, phone) => {
    const table = (column: string): string =>
      `<table><tr><th>Nom</th><th>${column}</th><th>Mail</th></tr><tr><td>Jane Doe</td><td>4425</td><td>jane@acme.test</td></tr></table>`;
    expect(
      phones(`<p>${house}</p>${table(head)}`, lang).filter((one) => one.endsWith('4425')),
    ).toEqual([phone]);
    expect(phones(table(head), lang)).toEqual([]);
  });

  test('but not where it is that of a fax', () => {
    const house = '<p>Tel. +43&thinsp;7242&thinsp;60340&#8209;0<br>Fax DW 90</p>';
    expect(phones(`${house}<p>DW 12</p>`, 'de-AT')).toEqual(['+437242603400', '+4372426034012']);
    // Two houses, the first with hyphens that do not break.
    expect(phones(`${house}<p>T 0662 / 87 44 19-0</p><p>DW 12</p>`, 'de-AT')).not.toContain(
      '+4366287441912',
    );
  });

  test('of the desk that is shown whole', () => {
    const house = '<p>Tel. 0049 (0)40 66969-110, Fax 040/66969-119</p>';
    expect(phones(`${house}<h3>Jane Doe</h3><p>Leiterin<br>Durchwahl: -112</p>`)).toContain(
      '+494066969112',
    );
    // Of another length, it cannot take the place of the last three digits.
    expect(phones(`${house}<h3>Jane Doe</h3><p>Leiterin<br>Durchwahl: -12</p>`)).toEqual([
      '+494066969110',
    ]);
    expect(phones(`${house}<p>Ulm 0731 4719-330</p><p>Durchwahl: -112</p>`)).not.toContain(
      '+494066969112',
    );
  });

  test('in Austria, with a slash or a word behind the number', () => {
    expect(scanPhones('Tel.: +43 5272 61220 / 25', 'AT')[0]?.phone).toBe('+4352726122025');
    expect(scanPhones('Tel.: 05272 61220 DW 25', 'AT')[0]?.phone).toBe('+4352726122025');
    expect(scanPhones('Tel.: 05272 61220-0 DW 25', 'AT')[0]?.phone).toBe('+4352726122025');
  });
});

test('an extension at the end of a sentence counts, that of a fax does not, nor the beginning of all numbers', () => {
  expect(phones('<p>Alle Durchwahlen unter 02381 / 4719. Fax der Leitung: DW 299</p>')).toEqual([]);
  expect(phones('<p>Zentrale: 02381 4719-0.</p><p>Dazu Jane Doe, Durchwahl -16.</p>')).toEqual([
    '+49238147190',
    '+492381471916',
  ]);
});

test('a page without a house has that of the site, and an authority has another', () => {
  const read = (body: string): string[] =>
    extractPage({
      url: 'https://acme.test/team',
      html: `<html lang="de-DE"><body>${body}</body></html>`,
      kind: 'html',
      trunk: { number: '+4923814719', digits: null },
    }).cards.flatMap((card) => card.phones);
  expect(read('<p>Redaktion: DW 17</p>')).toEqual(['+492381471917']);
  const authority = '<p>Beschwerden an die Datenschutzbehörde, Telefon 030 52152-0.</p>';
  expect(read(`${authority}<p>Redaktion: DW 17</p>`)).toContain('+492381471917');
});

describe('an extension stays unknown', () => {
  test.each([
    ['on a page with two houses', 'de-DE', '<p>Ulm 0731 4719-0, Bonn 0228 4719-0</p><p>DW 17</p>'],
    ['without a house', 'de-DE', '<p>DW 17</p>'],
    ['where it is dialled after a pause', 'fr', '<p>Tél. 01 99 00 41 20</p><p>poste 12</p>'],
  ])('%s', (_, lang, body) => {
    expect(
      phones(body, lang).filter((phone) => phone.endsWith('17') || phone.endsWith('12')),
    ).toEqual([]);
  });
});

test('a second extension after the first is another number, not more digits', () => {
  expect(scanPhones('Tel. 0731 4550-10 / 11', 'DE').map(({ phone }) => phone)).toEqual([
    '+49731455010',
  ]);
});

test('a number written with dots is no IP address', () => {
  expect(scanPhones('Tel. 011.455.50.12', 'IT').map(({ phone }) => phone)).toEqual([
    '+390114555012',
  ]);
  expect(scanPhones('Tel. 192.168.10.12', 'IT')).toEqual([]);
});

test.each([
  'Salem OR 97301. (503) 362-4501',
  'Salem OR 97301 (503) 362-4501',
  'OR 97301-1234 (503) 362-4501',
])('a postal code before an area code in brackets is no part of the number: %s', (text) => {
  expect(scanPhones(text, 'US').map(({ phone }) => phone)).toEqual(['+15033624501']);
});
