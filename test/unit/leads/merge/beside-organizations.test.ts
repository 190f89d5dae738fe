import { describe, expect, test } from 'vitest';
import { extractPage } from '#src/leads/extract/extract-page.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { mergeLeads } from '#src/leads/merge/merge-leads.ts';

const leadsOf = (body: string, lang: string, head = '<title>Acme</title>'): LeadDraft[] =>
  mergeLeads(
    [
      extractPage({
        url: 'https://www.acme.test/',
        html: `<html lang="${lang}"><head>${head}</head><body>${body}</body></html>`,
        kind: 'html',
      }),
    ],
    'acme.test',
  );
const contactsOf = (body: string, lang: string, head?: string): string[] =>
  leadsOf(body, lang, head).flatMap(({ emails, phones }) =>
    [...emails, ...phones].map(({ value }) => value),
  );

describe('a number beside the name of another organisation', () => {
  test.each([
    ['de', 'Bildrechte: Agentur Lichtung, Frau Kröger, +49 30 4417 7320'],
    ['de', 'Die Kasse prüft Treuhand Gantenbein, Tel. 030 4417 7320'],
    ['sv', 'Utställningen visas på Galleri Vita Huset (galleriet nås på 090-12 44 17)'],
    ['da', 'Billetter: Korsør Biblioteks billetsalg, 58 37 20 44'],
    ['da', 'Onsdage i Halsskov Sognegård (kordegnen: 58 37 00 12)'],
    ['it', 'Rappresentante per le macchine: ditta Bonelli di Cuneo, tel. 0171 555 012'],
    ['fr', 'Notre pain vient de la boulangerie Corre (02 96 55 18 20)'],
    ['fr', 'Ville de Tours, service des sports : 02 47 00 12 00'],
    ['fr', 'Inspection académique : 02 96 75 90 90'],
    ['es', 'El viaje lo organiza la agencia Mar Azul, tel. 921 43 66 02'],
    ['pt', 'Reservas de mesa na Junta: 21 318 40 00'],
    ['nl', 'Vragen over het pand? Stichting Veenland, 0561 470122'],
    ['pl', 'Ubezpieczenie NNW: agent Roman Pikul, tel. 501 220 764'],
    ['cs', 'Divadlo hraje v sále, vstupenky: knihovna Hájek, tel. 566 000 320'],
    ['es', 'Comedor: Catering Manchego S.L., 926 55 77 88'],
    ['sv', 'Tillsyn: Advokatsamfundet, 08-459 03 00'],
    ['sv', 'Försäkring genom If, 0771-43 00 00'],
    ['fr', 'Assuré auprès de MMA, 02 43 41 72 72'],
    ['nl', 'Schilderwerk doen wij met Schildersbedrijf Mulder, tel. 0578-699002'],
    ['pl', 'Sponsor: Tartak Bukowy, tel. 43 123 88 88'],
    ['no', 'Trenger du hjelp? Furnes Dyreklinikk har vakt, tlf. 62 35 99 99'],
    ['it', 'Ufficio Scolastico: 031 237111. RSPP: ing. Dario Monti, Studio Sicura, 031 999777'],
    ['da', 'Kaffe: Café Kaj, 98 12 99 99'],
    ['de-CH', 'Ärztlicher Notfalldienst 0848 112 112'],
    ['en-GB', 'Parking is run by the City of Portland, 020 7946 0999'],
    ['en-GB', 'She sells the rest at the market (call her on 020 7946 0999 by Thursday)'],
  ])('is that one’s: %s, %s', (lang, text) => {
    expect(contactsOf(`<p>info@acme.test</p><p>${text}</p>`, lang)).toEqual(['info@acme.test']);
  });

  test.each([
    ['de', 'Unsere Agentur Köln: Tel. 0221 4550123', '<title>Acme</title>', '+492214550123'],
    ['es', 'Titular: Montes y Ruiz S.L., 926 55 77 88', '<title>Acme</title>', '+34926557788'],
    ['de', 'Galerie Roth, Tel. 0221 4550123', '<title>Galerie Roth</title>', '+492214550123'],
    ['de', 'Galerie Acme, Tel. 0221 4550123', '<title>Start</title>', '+492214550123'],
    ['fi', 'Isännöitsijä Ville Kuoppala, puh. 09 4550 123', '<title>Acme</title>', '+35894550123'],
    [
      'fr',
      'La boulangerie est ouverte. Tél. 02 96 55 18 20',
      '<title>Acme</title>',
      '+33296551820',
    ],
  ])('is the site’s when it is no other: %s, %s', (lang, text, head, phone) => {
    expect(contactsOf(`<p>${text}</p>`, lang, head)).toEqual([phone]);
  });

  test.each(['Nos références', 'Our customers', 'Referenzen', 'Clientes', 'Klienci'])(
    'below the heading %s is not the site’s',
    (heading) => {
      const body = `<p>info@acme.test</p><h2>${heading}</h2><ul><li>Lycée Carnot : 03 80 68 63 00</li></ul>`;
      expect(contactsOf(body, 'fr')).toEqual(['info@acme.test']);
    },
  );

  test('in the same row of a table is that one’s', () => {
    const row = (...cells: string[]): string =>
      `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    const table = `<table>${row('Kassier', 'Flurin Caduff', '076 417 20 45')}${row('Revisor (extern)', 'Treuhand Gantenbein, Chur', '081 252 73 00')}</table>`;
    expect(contactsOf(`<p>info@acme.test</p>${table}`, 'de-CH')).toEqual(
      expect.not.arrayContaining(['+41812527300']),
    );
  });
});

test('a number right before an address of the site is the site’s, whatever office is named there', () => {
  expect(contactsOf('<p>Capitainerie : 04 94 12 34 01, port@acme.test</p>', 'fr')).toEqual([
    'port@acme.test',
    '+33494123401',
  ]);
  const far = '<p>Capitainerie : 04 94 12 34 01. Nous écrire : port@acme.test</p>';
  expect(contactsOf(far, 'fr')).toEqual(['port@acme.test']);
});

test('a certified address is the site’s, and so is the number beside it', () => {
  const body =
    '<p>info@acme.test</p><p>PEC cops01000x@pec.istruzione.test</p><p>Biblioteca, tel. 031 450104</p>';
  expect(contactsOf(body, 'it')).toEqual([
    'info@acme.test',
    'cops01000x@pec.istruzione.test',
    '+39031450104',
  ]);
  const other = '<p>info@acme.test</p><p>Ufficio Scolastico, PEC usp@pec.istruzione.test</p>';
  expect(contactsOf(other, 'it')).toEqual(['info@acme.test']);
});

describe('an address on the domain of an organisation that its line names', () => {
  test('is that one’s, with the number beside it, also on a site without an address of its own', () => {
    const body =
      '<p>Tel. 020 7946 0100</p><p>Warden Anna Dale of Fenland Trust explains why. Questions? warden@fenlandtrust.test, 020 7946 0999</p>';
    expect(contactsOf(body, 'en-GB')).toEqual(['+442079460100']);
  });

  test('is the site’s when it names the site', () => {
    const body = '<p>Acme Works, acme@acmeworks.test</p>';
    expect(contactsOf(body, 'en-GB')).toEqual(['acme@acmeworks.test']);
  });

  test('is that one’s also at a mail provider, on a site without an address of its own', () => {
    const body =
      '<p>Tel. 020 7946 0100</p><p>Bilder: Agentur Lichtung, lichtung.bild@gmail.com</p>';
    expect(contactsOf(body, 'en-GB')).toEqual(['+442079460100']);
  });

  test('does not stay with a person who has an address of the site', () => {
    const body =
      '<table><tr><th>Jméno</th><th>Funkce</th><th>E-mail</th></tr><tr><td>Ing. Pavel Dvorník</td><td>starosta</td><td>starosta@acme.test</td></tr>' +
      '<tr><td>Jaroslava Tichá</td><td>účetní</td><td>ticha@acme.test</td></tr></table>' +
      '<h3>Zastupitelstvo obce</h3><p>Ing. Pavel Dvorník, Mgr. Radka Nováčková, Ph.D., Miloslav Kubát, MVDr. Oldřich Bureš (předseda kontrolního výboru)</p>' +
      '<p>Pověřenec pro ochranu osobních údajů: Svazek obcí Hájsko, JUDr. Lenka Ptáčková, poverenec@hajsko.test, 566 000 320</p>';
    const person = leadsOf(body, 'cs').find(({ name }) => name?.value.includes('Dvorník'));
    expect(person?.emails.map(({ value }) => value)).toEqual(['starosta@acme.test']);
  });
});

test('a product code in a table of prices is no number', () => {
  const body =
    '<p>Tel. 011.455.50.12</p><table><tr><td>Cod.</td><td>Articolo</td></tr><tr><td>011-250</td><td>250 biglietti</td></tr></table>';
  expect(contactsOf(body, 'it')).toEqual(['+390114555012']);
});

test('an organisation that its own start page names is the site’s, also when a review refers to it', () => {
  const data = {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Restaurant',
        '@id': 'https://www.acme.test/#r',
        name: 'Acme',
        email: 'table@acme.test',
      },
      { '@type': 'Review', itemReviewed: { '@id': 'https://www.acme.test/#r' } },
      {
        '@type': 'WebSite',
        publisher: { '@type': 'Organization', name: 'Snail Digital', email: 'hi@snail.test' },
      },
    ],
  };
  const head = `<title>Acme</title><script type="application/ld+json">${JSON.stringify(data)}</script>`;
  const [organization] = leadsOf('', 'it', head);
  expect(organization?.name?.value).toBe('Acme');
  expect(contactsOf('', 'it', head)).toEqual(['table@acme.test']);
});
