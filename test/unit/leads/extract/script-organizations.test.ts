import { describe, expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { readScriptJson } from '#src/leads/extract/script-json.ts';

/** Kind, name, employer, addresses and numbers of each card. */
const rows = (data: unknown, page = '', attributes = 'type="application/json"'): string[] => {
  const html = `<html lang="de"><body>${page}<script ${attributes}>${JSON.stringify(data)}</script></body></html>`;
  return readScriptJson({
    url: 'https://acme.test/',
    html,
    page: openPage(html),
    region: 'DE',
  }).map(({ entity, kind, name, company, emails, phones }) =>
    [entity ?? kind, name, company, ...emails, ...phones]
      .filter((part) => part !== null)
      .join(' | '),
  );
};

describe('several organisations in one list of embedded data', () => {
  test.each([
    [
      'German, with the person to contact in an object of their own',
      [
        {
          firma: 'Nordkai Stahl AG',
          web: 'https://nordkai-stahl.test',
          ansprechpartner: {
            name: 'Birgit Linde',
            rolle: 'Personalleiterin',
            mail: 'bl@nordkai-stahl.test',
          },
        },
        {
          firma: 'Wasserwerkstatt KG',
          telefon: '0211 4550123',
          web: 'https://wasserwerkstatt.test',
        },
      ],
    ],
    [
      'French, with those who lead them',
      [
        { nom: 'Nordkai Stahl AG', courriel: 'bl@nordkai-stahl.test', gerant: 'Birgit Linde' },
        { nom: 'Wasserwerkstatt KG', tel: '0211 4550123', site: 'https://wasserwerkstatt.test' },
      ],
    ],
  ])('are members with their people: %s', (_, list) => {
    const [first, ...others] = rows({ partners: list });
    expect(first).toBe('member | Nordkai Stahl AG | bl@nordkai-stahl.test');
    expect(others[0]).toMatch(/^member \| Birgit Linde \| Nordkai Stahl AG/);
    expect(others.slice(1)).toEqual(['member | Wasserwerkstatt KG | +492114550123']);
  });

  test('are read from the positions that Nuxt writes', () => {
    const list = [
      { firms: 1 },
      [2, 3],
      { navn: 4, email: 5, kontakt: 6 },
      { navn: 7, telefon: 8, web: 9 },
      'Nordkaj Stål A/S',
      'info@nordkaj-staal.test',
      { navn: 10, email: 11 },
      'Vandværkstedet ApS',
      '+45 23 45 67 22',
      'https://vandvaerkstedet.test',
      'Birgitte Lindegaard',
      'bli@nordkaj-staal.test',
    ];
    expect(rows(list, '', 'type="application/json" id="__NUXT_DATA__"')).toEqual([
      'member | Nordkaj Stål A/S | info@nordkaj-staal.test | bli@nordkaj-staal.test',
      'member | Birgitte Lindegaard | Nordkaj Stål A/S | bli@nordkaj-staal.test',
      'member | Vandværkstedet ApS | +4523456722',
    ]);
  });

  test('are firms, too, where their names could be of people', () => {
    const found = rows({
      list: [
        { name: 'Lisa Stahl', description: 'Video', email: 'lisastahl@gmail.com' },
        {
          name: 'Karin Stahl',
          description: 'Bilder',
          web: 'https://karinstahl.test',
          contact: { name: 'Jane Doe' },
        },
        { name: 'Nora Weber', web: 'https://noraweber.test', telefon: '0211 4550124' },
        { name: 'Maria Koch', web: 'https://mariakoch.test', telefon: '0211 4550123' },
      ],
    });
    expect(found).toContain('member | Lisa Stahl | lisastahl@gmail.com');
  });

  test('are nobody’s below reviews, also as positions', () => {
    const list = [
      { reviews: 1 },
      [2, 3],
      { name: 4, email: 5 },
      { name: 6, email: 7 },
      'Nordkaj Stål A/S',
      'info@nordkaj-staal.test',
      'Vandværkstedet ApS',
      'info@vandvaerkstedet.test',
    ];
    expect(rows(list, '', 'type="application/json" id="__NUXT_DATA__"')).toEqual([]);
  });

  test('name a couple with one family name as two people', () => {
    const list = [
      {
        name: 'Back-Haus Kruse',
        url: 'https://backhaus-kruse.test',
        inhaber: 'Anna und Jan Kruse',
      },
      { name: 'Mühle Steg', url: 'https://muehle-steg.test' },
    ];
    expect(rows(list)).toEqual([
      'member | Back-Haus Kruse',
      'member | Anna Kruse | Back-Haus Kruse',
      'member | Jan Kruse | Back-Haus Kruse',
      'member | Mühle Steg',
    ]);
  });

  test('need no domains when the page announces a list', () => {
    const list = ['Chor der Fischer', 'TSV 1860', 'Verein für Heimatkunde'].map((name, at) => ({
      name,
      telefon: `0211 455012${at}`,
    }));
    expect(rows({ list })).toEqual([]);
    expect(rows({ list }, '<h1>Unsere Mitglieder</h1>')).toEqual([
      'member | Chor der Fischer | +492114550120',
      'member | TSV 1860 | +492114550121',
      'member | Verein für Heimatkunde | +492114550122',
    ]);
  });
});

describe('the host in embedded data', () => {
  test('has the addresses on its domain, with the numbers beside them', () => {
    const offices = [
      {
        city: 'Ulm',
        street: 'Am Kai 1',
        phone: '0731 4550123',
        fax: '0731 4550199',
        email: 'ulm@acme.test',
      },
      { city: 'Bonn', phone: '0228 4550123', email: 'bonn@acme.test' },
    ];
    expect(rows({ offices })).toEqual([
      'page | ulm@acme.test | +497314550123',
      'page | bonn@acme.test | +492284550123',
    ]);
  });

  test('is no member of its own list, and one organisation alone is none', () => {
    expect(rows([{ name: 'Acme GmbH', email: 'info@acme.test' }])).toEqual([
      'organization | Acme GmbH | info@acme.test',
    ]);
    expect(rows({ hoster: { name: 'Wolke 7 GmbH', email: 'hi@wolke-sieben.test' } })).toEqual([]);
  });

  test('has the contacts of its office, whoever answers there', () => {
    expect(
      rows({
        sekretariat: { name: 'Birgit Linde', email: 'sekretariat@acme.test', tel: '0211 4550123' },
      }),
    ).toEqual(['page | sekretariat@acme.test | +492114550123']);
  });
});

test.each(['sponsors', 'kunden', 'references', 'recensioni'])(
  'below %s nobody is listed',
  (key) => {
    const list = [
      { name: 'Nordkai Stahl AG', email: 'info@nordkai-stahl.test' },
      { name: 'Wasserwerkstatt KG', email: 'info@wasserwerkstatt.test' },
    ];
    expect(rows({ [key]: list })).toEqual([]);
  },
);

test('the site settings of a builder hold the contacts of the site', () => {
  const html =
    '<script>Static.SQUARESPACE_CONTEXT = {"website":{"contactPhoneNumber":"0211 4550123","contactEmail":"post@acme.test"}};</script>';
  const cards = readScriptJson({
    url: 'https://acme.test/',
    html,
    page: openPage(html),
    region: 'DE',
  });
  expect(cards.map(({ kind, emails, phones }) => [kind, ...emails, ...phones])).toEqual([
    ['page', 'post@acme.test', '+492114550123'],
  ]);
});
