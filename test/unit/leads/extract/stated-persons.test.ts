import { describe, expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import { readPageLines } from '#src/leads/extract/page-lines.ts';
import { statedPersons } from '#src/leads/extract/stated-persons.ts';

const read = (html: string, path = '/about'): [string | null, string | null][] => {
  const page = openPage(html);
  const source = { url: `https://acme.test${path}`, html, page, region: null };
  return statedPersons(readPageLines(page.root), source).map(({ name, title }) => [name, title]);
};

describe('a role beside a name', () => {
  test.each([
    ['Sekretær for utvalget er Linn Ødegård.', 'Linn Ødegård', 'Sekretær for utvalget'],
    ['Hoje a gerente é Matilde Sarabando, sua bisneta.', 'Matilde Sarabando', 'gerente'],
    ['Co-owner Amos Leland looks after the mill.', 'Amos Leland', 'Co-owner'],
    ['Ask the chair, Fidelma Burke, for a seat.', 'Fidelma Burke', 'chair'],
    ['Zeptejte se: předseda výboru Stanislav Koukal', 'Stanislav Koukal', 'předseda výboru'],
    ['Předseda: Zbyněk Fiala.', 'Zbyněk Fiala', 'Předseda'],
    ['Jednatel př. František Hanzal, tel: 605 000 118', 'František Hanzal', 'Jednatel'],
    ['Dirigent er cand.mag. Rasmus Vedel.', 'Rasmus Vedel', 'Dirigent'],
    [
      'Koordinatorica volontera je Ana-Marija Kezić.',
      'Ana-Marija Kezić',
      'Koordinatorica volontera',
    ],
    ['Elvira Nikšić, članica', 'Elvira Nikšić', 'članica'],
    ['Wychowawcy: Iwona Smardz', 'Iwona Smardz', 'Wychowawcy'],
    ['Fatoumata Keïta, initiatrice fédérale : école', 'Fatoumata Keïta', 'initiatrice fédérale'],
    ['Coveiro: sr. Abílio Roque, 917 249 033', 'Abílio Roque', 'Coveiro'],
    [
      'In sala vi accoglie Tommaso Pieraccini, sommelier; vi aspetta.',
      'Tommaso Pieraccini',
      'sommelier',
    ],
    ['Oldřich Bureš (předseda kontrolního výboru)', 'Oldřich Bureš', 'předseda kontrolního výboru'],
    [
      'Hans far Sten Hallberg är ordförande i styrelsen och nås via mejl.',
      'Sten Hallberg',
      'ordförande',
    ],
    [
      '1ª Teniente de Alcalde: D. HILARIO PEÑALBA SOTO.',
      'HILARIO PEÑALBA SOTO',
      '1ª Teniente de Alcalde',
    ],
  ])('is its title: %s', (text, name, title) => {
    expect(read(`<p>${text}</p>`)).toEqual([[name, title]]);
  });

  test.each([
    ['Owners: Jane and John Doe.', 'Owners'],
    ['Titolari: Jane e John Doe.', 'Titolari'],
    ['Owners: Jane and Dean Doe.', 'Owners', 'Dean Doe'],
  ])('is that of two who share a surname: %s', (text, title, second = 'John Doe') => {
    expect(read(`<p>${text}</p>`)).toEqual([
      ['Jane Doe', title],
      [second, title],
    ]);
  });

  test.each([
    ['You will meet our two groundsmen, Jane Doe and John Smith.', 'groundsmen'],
    ['Przy fotelu pomagają asystentki <b>Jane Doe</b> i <b>John Smith</b>.', 'asystentki'],
    ['Verder zijn er Jane Doe en John Smith (student-medewerkers).', 'student-medewerkers'],
    ['Stroje (obsluha p. Jane Doe a p. John Smith)', 'obsluha'],
  ])('is that of both names that "and" joins: %s', (text, title) => {
    expect(read(`<p>${text}</p>`)).toEqual([
      ['Jane Doe', title],
      ['John Smith', title],
    ]);
    expect(read(`<p>${text}</p>`, '/products').length).toBeLessThan(2);
  });

  test('with a colon is the title of all names behind it', () => {
    expect(
      read('<p>Revisorer: Ing-Marie Dahl och Börje Kvarnström. Valberedning: ingen.</p>'),
    ).toEqual([
      ['Ing-Marie Dahl', 'Revisorer'],
      ['Börje Kvarnström', 'Revisorer'],
    ]);
  });
});

test.each([
  ['Directrice : Mme Fanny Bessière, 05 36 49 12 30', 'Fanny Bessière', 'Directrice'],
  ['Suppleant: Gorm Eskildsen.', 'Gorm Eskildsen', 'Suppleant'],
  ['Il pane è di Fatou Ndiaye, la nostra pasticciera.', 'Fatou Ndiaye', 'pasticciera'],
  [
    'Σήμερα: Ελευθερία Ψωμαδάκη, υπεύθυνη πωλήσεων (info@acme.test)',
    'Ελευθερία Ψωμαδάκη',
    'υπεύθυνη πωλήσεων',
  ],
  [
    'Redaktion und Presse: Mag. Franziska Tschugg, DW 35, presse@acme.test',
    'Mag. Franziska Tschugg',
    'Redaktion und Presse',
  ],
])('forms of address, brackets and contacts do not hide a person: %s', (text, name, title) => {
  expect(read(`<p>${text}</p>`)).toEqual([[name, title]]);
});

test('labels of unknown words need a known given name or a contact unless the page is about people', () => {
  expect(read('<p>Redaktion und Presse: Franziska Tschugg</p>')).toHaveLength(1);
  expect(read('<p>Redaktion und Presse: Grelva Tschugg</p>')).toEqual([]);
  expect(read('<p>Opracował: Maciej Hetmański</p>')).toEqual([]);
  expect(read('<p>Sopran: Maria Huber</p>', '/x')).toEqual([]);
  expect(read('<p>Bildung und Musikschule: Maria Huber</p>', '/x')).toHaveLength(1);
  expect(read('<p>Absolwenci: Maciej Hetmański, aktor</p>')).toEqual([]);
  expect(read('<p>Struktura: Maciej Hetmański, Acme Projekt SRL</p>')).toEqual([]);
  expect(read('<p>Zuständig: Amtsgericht Lüneburg, 04131 2020</p>')).toEqual([]);
});

test.each([
  ['Jane Doe en est la secrétaire.', 'Jane Doe', 'secrétaire'],
  ['Jane Doe le secrétaire.', 'Jane Doe', 'secrétaire'],
  ['Director: Jane Doe (since 1987).', 'Jane Doe', 'Director'],
])('a role behind a name, or since a year, is its title: %s', (text, name, title) => {
  expect(read(`<p>${text}</p>`)).toEqual([[name, title]]);
});

test.each([
  ['Our secretary Jane Doe won the prize.', 1],
  ['Please contact Secretary Jane Doe on 020 7946 0101.', 1],
  ['Secretary Jane Doe won the prize.', 0],
  ['Our guest speaker Jane Doe sang.', 0],
  ['Our member Jane Doe sang.', 0],
  ['Please contact Secretary Jane Doe at once.', 0],
  ['Our secretary Jane Doe of Marsh Ridd Partners sang.', 0],
])('news name whom one calls one’s own or may reach: %s', (text, count) => {
  expect(read(`<p>${text}</p>`, '/news/prize')).toHaveLength(count);
});

test('a sentence ends before a label', () => {
  expect(read('<p>Chef: Jane Fox. Caretaker: John Smith.</p>')).toEqual([
    ['Jane Fox', 'Chef'],
    ['John Smith', 'Caretaker'],
  ]);
});

test('a heading is the role of those below it, but not of those whose term is over', () => {
  expect(read('<h2>Chairs</h2><p>Jane Doe (2004–2012), Mary Jones</p>', '/team')).toEqual([
    ['Mary Jones', 'Chairs'],
  ]);
});

test('a body may have its years of office behind its name', () => {
  expect(read('<h1>Formannskapet 2023–2027</h1><p>Mona Fossdal (Ap)</p>', '/x')).toEqual([
    ['Mona Fossdal', 'Formannskapet'],
  ]);
});

describe('no person is read from', () => {
  test.each([
    ['the past', 'Our founder and first director, John Smith, left.'],
    ['former staff', 'Jane Doe, former director, sends her greetings.'],
    ['honours', 'Jane Doe, honorary president, sold her shares.'],
    ['people of earlier years', 'Eerder werkten mee, als architect: Jane Doe, John Smith.'],
    ['those who retire', 'In den Ruhestand ging unser Chemielehrer Jane Doe.'],
    ['the dead', 'Il direttore Aldo Bernacchi, scomparso nel 2019, ha lasciato.'],
    ['partners of another firm', 'Constructeur: Pieter Haagsma, Haagsma & Bos.'],
    ['a possessive', "Director Jane Doe's workshops are popular."],
    ['another body', 'The Friends have their own shop. Their president is Jane Doe.'],
    ['customers', 'You will work with foreman Jane Doe of our client.'],
    ['terms that are over', 'Chairs: Jane Doe (2004–2012), Mary Jones (2012–2020).'],
    ['pensioners', 'Emerytowani nauczyciele: Jane Doe, John Smith.'],
    ['past office', 'Past president Jane Doe opened the show.'],
    ['quotations', '“Great!” says the director, Jane Doe.'],
    ['events', '19:30, Great Hall: symphony, conductor Masako Ito'],
    ['dates long ago', 'In 1911 the chair, Josiah Stead, gave the clock.'],
    ['data protection officers', 'Datenschutzbeauftragte: Katja Milkau'],
    ['the maker of the site', 'Diseño: Tinta Clara'],
    ['photographers', 'Fotograf: Jane Doe'],
    ['an address elsewhere', 'Contact the chair, Ulla Brandt, ulla@other.test'],
    ['firms', 'Auditor: Jane Doe, Ltd'],
    ['auditors of a firm', 'Auktoriserad revisor Camilla Stålnacke, Räfsta Revision'],
    ['an auditor of a firm', 'The internal auditor, Jane Doe of Marsh Ridd Partners, reports.'],
    ['an auditor with a firm in brackets', 'Revisore unico: Jane Doe (Studio Marsh)'],
    ['those whom one admires', 'Onze helden: Aldo Jansen, Lina Visser'],
    ['the contact of a client', 'Woonstichting De Vecht, contact: Jane Doe'],
    ['what is not "our"', 'Our charity is Ashgate; its treasurer, Colin Varley, thanks us.'],
    ['illustrators', 'Director i ilustracije: Nika Barbarić'],
    ['banks', 'Account: Rheinau Giro, DE71 3705 0000 0022 1471 08'],
    ['codes', 'Director: IBAN DE71 3705 0000 0022 1471 08'],
    ['a role of somebody else in brackets', 'Beneficiar: Colina Verde (primar Gavril Boca)'],
    ['speeches', 'Discurso de la delegada, Lucía Prados'],
    ['fields of a profession', 'Facharzt für Innere Medizin'],
    ['a field behind a role and a comma', 'Associate, Party Wall'],
    ['thanks', 'The director thanked Jane Doe'],
    ['a title behind a name without a role', 'Jane Doe, a friend of the house'],
  ])('%s', (_, text) => {
    expect(read(`<p>${text}</p>`).filter(([name]) => name !== 'Gavril Boca')).toEqual([]);
  });

  test.each(['Nos producteurs', 'Our local suppliers', 'Unsere Lieferanten', 'I nostri fornitori'])(
    'those below "%s"',
    (heading) => {
      const below = '<p>Agneau : Jane Doe<br>Picodon : John Smith</p>';
      expect(read(`<h5>${heading}</h5>${below}`)).toEqual([]);
      expect(read(`<h5>Menu</h5>${below}`)).toHaveLength(2);
    },
  );

  test('but elected auditors are of the organisation', () => {
    const html = '<p>Kassenprüfer: Jane Doe, John Smith</p>';
    expect(read(html).map(([name]) => name)).toEqual(['Jane Doe', 'John Smith']);
  });

  test.each(['“Great!”', '”Great!”', '»Great!«'])('the author of the quotation %s', (quoted) => {
    expect(read(`<div><p>${quoted}</p><p>Marta Figueiredo – arquiteta</p></div>`)).toEqual([]);
  });

  test('news, and sentences on pages about other things', () => {
    const html = '<p>The chair, Jane Doe, opens the fair.</p>';
    expect(read(html)).toEqual([['Jane Doe', 'chair']]);
    expect(read(html, '/news/fair')).toEqual([]);
    expect(read(html, '/fair')).toEqual([]);
  });
});

test('away from pages about the organisation, a person needs a statement, "our" or a contact', () => {
  expect(read('<p>Case officer is Jane Doe.</p>', '/roads')).toEqual([
    ['Jane Doe', 'Case officer'],
  ]);
  expect(read('<p>Our gardener Jane Doe planted it.</p>', '/roads')).toEqual([
    ['Jane Doe', 'gardener'],
  ]);
  expect(read('<p>The gardener, Jane Doe, 020 7946 0124</p>', '/roads')).toEqual([
    ['Jane Doe', 'gardener'],
  ]);
  expect(read('<p>The gardener, Jane Doe of Roses Ltd, 020 7946 0124</p>', '/roads')).toEqual([]);
});

test('a name ends with its element, unless the elements are its parts', () => {
  const firm = '<dl><dt>Tesorera</dt><dd>Nuria Ballarín <small>Gimnasio Nave</small></dd></dl>';
  expect(read(firm)).toEqual([['Nuria Ballarín', 'Tesorera']]);
  const told = '<p>Tesorera: Nuria Ballarín <small>Lobera Peiró</small></p>';
  expect(read(told)).toEqual([['Nuria Ballarín', 'Tesorera']]);
  const parts = '<p>Tesorera: <b>Nuria</b> <i>Ballarín</i></p>';
  expect(read(parts)).toEqual([['Nuria Ballarín', 'Tesorera']]);
});

describe('names below a heading', () => {
  test.each([
    ['<h3>Zastupitelstvo obce</h3><p>Ing. Pavel Doležal, Iveta Šimková</p>', 'Zastupitelstvo obce'],
    ['<h2>Hochschulrat</h2><ul><li>Pavel Doležal</li><li>Iveta Šimková</li></ul>', 'Hochschulrat'],
    ['<h3>Membros</h3><ul><li>Pavel Doležal</li><li>Iveta Šimková</li></ul>', 'Membros'],
    ['<h3>Ersättare</h3><p>Pavel Doležal, Iveta Šimková</p>', 'Ersättare'],
    [
      '<p><strong>CONCEJALES</strong></p><p>Pavel Doležal (PSV)<br>Iveta Šimková (PSV)</p>',
      'CONCEJALES',
    ],
  ])('that names a body or a role have it as their title: %s', (html, title) => {
    const found = read(html);
    expect(found.map(([name]) => name?.replace('Ing. ', ''))).toEqual([
      'Pavel Doležal',
      'Iveta Šimková',
    ]);
    expect(found.map(([, one]) => one)).toEqual([title, title]);
  });

  test.each([
    '<h2>Partner</h2><p>Jane Doe, John Smith</p>',
    '<h2>Our walks</h2><p>Jane Doe, John Smith</p>',
    '<h2>Hochschulrat</h2><p>Jane Doe thanks John Smith</p>',
    '<h2>Committee</h2><h3>Walks</h3><p>Jane Doe, John Smith</p>',
    '<h2>Committee</h2><p>Yönetim Kurulu</p>',
  ])('that names neither have none: %s', (html) => {
    expect(read(html, '/walks')).toEqual([]);
  });
});

test('on a page of people a label in any words is a role', () => {
  const html = '<p>Bus escort: Carmel Linnane. Ved klaveret: Oksana Bondar.</p>';
  expect(read(html, '/team')).toEqual([
    ['Carmel Linnane', 'Bus escort'],
    ['Oksana Bondar', 'Ved klaveret'],
  ]);
  expect(read(html, '/walks')).toEqual([]);
  expect(read('<p>E-mail: Carmel Linnane</p>', '/team')).toEqual([]);
});

describe('without a known given name', () => {
  test.each([
    ['an authority', 'Director: Starostwo Powiatowe'],
    ['a firm', 'Knjigovodstvo, tajnica Servis Bilanca, 021 555 922'],
    ['an office', 'Emergency officer: Campus Police, 302 555 0188'],
  ])('%s is nobody beside a role', (_, text) => {
    expect(read(`<p>${text}</p>`, '/team')).toEqual([]);
  });

  test('a name in a list of names is a name, one of several such texts is not', () => {
    const known = 'Jane Doe, John Smith, Anna Kovar';
    expect(read(`<p>Trustees: ${known}, Grelva Tschugg</p>`)).toHaveLength(4);
    expect(read('<p>Trustees: Jane Doe, Grelva Tschugg, Troqueles Lobera</p>')).toEqual([
      ['Jane Doe', 'Trustees'],
    ]);
    expect(read(`<h2>Committee</h2><p>${known}, Grelva Tschugg</p>`)).toHaveLength(4);
    expect(read('<h2>Committee</h2><p>Grelva Tschugg</p>')).toEqual([]);
  });

  test('a person whom the organisation calls its own is one', () => {
    expect(read('<p>Ask our treasurer, Grelva Tschugg, for a receipt.</p>')).toHaveLength(1);
  });
});

test('a known given name with a contact right behind it needs no role on a page about the organisation', () => {
  const text = 'For rides ask for Hannah Osei; 07400 900 553 before noon.';
  expect(read(`<p>${text}</p>`)).toEqual([['Hannah Osei', null]]);
  expect(read(`<p>${text}</p>`, '/x')).toEqual([]);
  expect(read(`<p>${text.replace('Hannah', 'Grelva')}</p>`)).toEqual([]);
  expect(read('<p>Acme Ltd, Hannah Osei, 07400 900 553</p>')).toEqual([]);
});

describe('somebody who leads or looks after something by a verb needs no role', () => {
  test.each([
    'The group is led by Jane Doe and meets on Mondays.',
    'Die Abteilung leitet seit 2011 Jane Doe.',
    "L'atelier est animé par Jane Doe.",
    'Los talleres están coordinados por Jane Doe.',
    'La segreteria è retta da Jane Doe.',
    'A secretaria é coordenada por Jane Doe.',
    'De groep wordt geleid door Jane Doe.',
    'Pracownię prowadzi Jane Doe.',
    'Nástrojárnu řídí od začátku pan Jane Doe.',
    'A csoportot vezeti Jane Doe.',
    'Gruppen leds av Jane Doe.',
    'Секцию ведёт Jane Doe.',
  ])('%s', (text) => {
    expect(read(`<p>${text}</p>`)).toEqual([['Jane Doe', null]]);
    expect(read(`<p>${text}</p>`, '/x')).toEqual([['Jane Doe', null]]);
    expect(read(`<p>${text.replace('Jane', 'Grelva')}</p>`)).toEqual([]);
  });

  test('nor does whom "and" joins to such a name, or one with a contact', () => {
    expect(read('<p>Del voluntariado se ocupan Jane Doe y John Smith.</p>')).toEqual([
      ['Jane Doe', null],
      ['John Smith', null],
    ]);
    const html = '<p>Die Abteilung leitet Jane Doe, erreichbar unter 020 7946 0124.</p>';
    expect(read(html, '/x')).toEqual([['Jane Doe', null]]);
    expect(read('<p>The tour is led by Jane Doe of Roses Ltd.</p>')).toEqual([]);
  });
});

test('labels may begin with an ordinal and end with a full stop', () => {
  expect(read('<p>2. Vors.: Silke Oehlers</p>', '/clubs')).toEqual([['Silke Oehlers', 'Vors.']]);
});

test('a word before a name is no part of it', () => {
  expect(read('<p>Deputy Stonkare Ivar Nygård, 915 20 301</p>', '/team')).toEqual([
    ['Ivar Nygård', 'Deputy'],
  ]);
});

test('the dead are nobody', () => {
  expect(read('<p>Secretary: Jane Doe (dec.)</p>')).toEqual([]);
  expect(read('<p>Sekretarka: śp. Jane Doe</p>')).toEqual([]);
});
