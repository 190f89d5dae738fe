import { describe, expect, test } from 'vitest';
import { openPage } from '#src/files/open-page.ts';
import type { ContactCard } from '#src/leads/extract/contact-card.ts';
import { readTeamCards } from '#src/leads/extract/team-cards.ts';

const read = (html: string): ContactCard[] =>
  readTeamCards({ url: 'https://acme.test/team', html, page: openPage(html), region: 'DE' });
const rows = (html: string): [string | null, string | null, string][] =>
  read(html).map(({ name, title, emails }) => [name, title, emails.join()]);

describe('no person', () => {
  test.each([
    [
      'testimonials',
      '<div class="testimonials"><div><h4>Jane Doe</h4><p>CEO, Customer</p></div><div><h4>John Smith</h4><p>CTO</p></div></div>',
    ],
    [
      'quotations by their class',
      '<div class="Citat_rot"><p>Great!</p><h4>Jane Doe</h4><p>CEO</p></div>',
    ],
    ['quotations', '<blockquote><p>Great!</p><h4>Jane Doe</h4><p>CEO</p></blockquote>'],
    [
      'offices',
      '<div><h3>New York</h3><p>office@acme.test</p></div><div><h3>San Francisco</h3><p>+1 650 253 0000</p></div>',
    ],
    ['menus', '<nav><a>Jane Doe</a><a>Sales Manager</a><a>John Smith</a></nav>'],
    [
      'departments',
      '<div><h3>Customer Service</h3><p>Head office</p></div><div><h3>Human Resources</h3><p>jobs@acme.test</p></div>',
    ],
    [
      'plans',
      '<div><h3>Starter Plan</h3><p>For one manager</p></div><div><h3>Premium Plan</h3><p>For a team leader</p></div>',
    ],
    ['authors', '<div class="author-box"><h4>Jane Doe</h4><p>Editor</p></div>'],
    [
      'names in a list below a heading for others',
      '<h2>Our sponsors</h2><ul><li>Jane Doe</li><li>John Smith</li><li>Mary Jones</li></ul>',
    ],
    ['texts that are no known names', '<ul><li>Grelva Tschugg</li><li>Upper Tarnbeck</li></ul>'],
    [
      'a name in a sentence',
      '<p>Our founder <a href="/x">Jane Doe</a> began the company as its director in a garage.</p>',
    ],
    ['speakers', '<div class="field-speaker"><b>Jane Doe</b>, professor</div>'],
    ['photographers', '<div><p>Fotos: Jane Doe</p><p>Illustrationen: John Smith</p></div>'],
    ['nothing', ''],
  ])('is read from %s', (_, html) => {
    expect(read(html)).toEqual([]);
  });

  test('gets the address shared by all cards, or a role address', () => {
    const card = (name: string): string =>
      `<div><h3>${name}</h3><p>Manager</p><a href="mailto:front@acme.test">Mail</a><a href="mailto:info@acme.test">Mail</a></div>`;
    expect(rows(card('Jane Doe') + card('John Smith'))).toEqual([
      ['Jane Doe', 'Manager', ''],
      ['John Smith', 'Manager', ''],
    ]);
  });

  test('gets what follows the last card', () => {
    const html =
      '<h3>Jane Doe</h3><p>CEO</p><p>jane@acme.test</p><h3>John Smith</h3><p>CTO</p><p>Write to us</p><p>studio@acme.test, +49 30 1234567</p>';
    expect(read(html).map(({ emails, phones }) => [emails, phones])).toEqual([
      [['jane@acme.test'], []],
      [[], []],
    ]);
  });

  test.each([
    ['<p>Write: box7@acme.test or jane.doe@acme.test</p>', 'jane.doe@acme.test'],
    ['<p>box7@acme.test or box8@acme.test</p>', ''],
    ['<p>info@acme.test</p>', ''],
    ['<p>Reads</p><p>Hikes</p><p>Sings</p><p>Runs</p><p>Swims</p><p>box7@acme.test</p>', ''],
  ])('gets the address of others beside a lone name: %s', (html, emails) => {
    expect(rows(`<main><h1>Jane Doe</h1><p>Partner</p>${html}</main>`)).toEqual([
      ['Jane Doe', 'Partner', emails],
    ]);
  });
});

const JANE = 'jane@acme.test';
const JOHN = 'js7@acme.test';
const BOTH = [
  ['Jane Doe', 'CEO', JANE],
  ['John Smith', 'Head of Sales', JOHN],
];

test.each([
  [
    'cards',
    `<div class="m"><img alt="x"><h3>Jane Doe</h3><p>CEO</p><a href="mailto:${JANE}">Mail</a></div><div class="m"><h3>John Smith</h3><p>Head of Sales</p><a href="mailto:${JOHN}">Mail</a></div>`,
  ],
  [
    'cards with a link around some names',
    `<div><h3><a href="/j">Jane Doe</a></h3><p>CEO</p><p>${JANE}</p></div><div><h3>John Smith</h3><p>Head of Sales</p><p>${JOHN}</p></div>`,
  ],
  [
    'roles above names',
    `<div><p>CEO</p><h3>Jane Doe</h3><p>${JANE}</p></div><div><p>Head of Sales</p><h3>John Smith</h3><p>${JOHN}</p></div>`,
  ],
  [
    'headings and paragraphs',
    `<h2>Team</h2><h3>Jane Doe</h3><p>CEO</p><p>${JANE}</p><h3>John Smith</h3><p>Head of Sales</p><p>js7 [at] acme [dot] test</p><h2>Contact</h2><p>office@acme.test</p>`,
  ],
  [
    'a table',
    `<table><tr><th>Name</th><th>Role</th></tr><tr><td>Jane Doe</td><td>CEO</td><td>${JANE}</td></tr><tr><td>John Smith</td><td>Head of Sales</td><td>${JOHN}</td></tr></table>`,
  ],
  [
    'a list of lines',
    `<ul><li>Jane Doe, CEO, <a href="mailto:${JANE}">mail</a></li><li>John Smith – Head of Sales – ${JOHN}</li></ul>`,
  ],
  [
    'a definition list',
    `<dl><dt>Jane Doe</dt><dd>CEO</dd><dd>${JANE}</dd><dt>John Smith</dt><dd>Head of Sales</dd><dd>${JOHN}</dd></dl>`,
  ],
  [
    'lines with breaks',
    `<p>Jane Doe<br>CEO<br>${JANE}<br><br>John Smith<br>Head of Sales<br>${JOHN}</p>`,
  ],
  [
    'spans',
    `<div><span class="name">Jane Doe</span><span class="role">CEO</span><a href="mailto:${JANE}">@</a></div><div><span class="name">John Smith</span><span class="role">Head of Sales</span><a href="mailto:${JOHN}">@</a></div>`,
  ],
  [
    'bold names in paragraphs',
    `<p><strong>Jane Doe</strong>, CEO<br>${JANE}</p><p><strong>John Smith</strong>, Head of Sales<br>${JOHN}</p>`,
  ],
])('two people are read from %s', (_, html) => {
  expect(rows(html)).toEqual(BOTH);
});

test('a card nested deeper than the others takes nothing else from its wrapper', () => {
  const card = (name: string): string => `<div class="c"><h3>${name}</h3><p>CEO</p></div>`;
  const html = `<div class="row">${card('Jane Doe')}${card('John Smith')}</div><div class="row">${card('Mary Jones')}<div>Call <a href="tel:+493012345678">us</a></div></div>`;
  expect(read(html).map(({ name, phones }) => [name, phones])).toEqual([
    ['Jane Doe', []],
    ['John Smith', []],
    ['Mary Jones', []],
  ]);
});

test('a line in the place of the role is a role, whatever its words', () => {
  const card = (name: string, role: string): string => `<div><h3>${name}</h3><p>${role}</p></div>`;
  const html =
    card('Jane Doe', 'CEO') +
    card('John Smith', 'Head of Sales') +
    `<div><h3>Mary Jones</h3><p>Happiness Hero</p><p>${JANE}</p></div>`;
  expect(read(html)[2]?.title).toBe('Happiness Hero');
});

test('phones and profiles in a card belong to the person, except the company profile', () => {
  const links =
    '<a href="tel:+493012345678">call</a><a href="https://de.linkedin.com/in/jane-doe?x=1">in</a><a href="https://linkedin.com/company/acme">us</a>';
  const [jane] = read(
    `<div><h3>Jane Doe</h3><p>CEO</p>${links}</div><div><h3>John Smith</h3><p>CTO</p></div>`,
  );
  expect(jane).toMatchObject({
    phones: ['+493012345678'],
    profiles: ['https://www.linkedin.com/in/jane-doe'],
  });
});

test('a role with a colon names its holders, who do not get the contacts of the page', () => {
  const html =
    '<h1>Impressum</h1><p>Acme GmbH<br>Tel. 030 12345678</p><p>Vertreten durch die Geschäftsführer: Hans Huber, Petra Klein</p><p>post@acme.test</p>';
  expect(read(html)).toMatchObject([
    { name: 'Hans Huber', title: 'Geschäftsführer', emails: [], phones: [] },
    { name: 'Petra Klein', title: 'Geschäftsführer', emails: [], phones: [] },
  ]);
});

test.each([
  ['山田 太郎', '代表取締役', '佐藤 花子', '営業部長'],
  ['Иван Петров', 'Генеральный директор', 'Ольга Смирнова', 'Главный бухгалтер'],
  ['김민준', '대표이사', '이서연', '팀장'],
  ['王伟', '总经理', '李娜', '工程师'],
  ['Ayşe Yılmaz', 'Genel Müdür', 'Mehmet Demir', 'Muhasebe Uzmanı'],
])('%s, %s is also read', (name, title, other, otherTitle) => {
  const html = `<ul><li><p>${name}</p><p>${title}</p></li><li><p>${other}</p><p>${otherTitle}</p></li></ul>`;
  expect(rows(html)).toEqual([
    [name, title, ''],
    [other, otherTitle, ''],
  ]);
});

test.each([
  [
    '<main><h1>Jane Doe</h1><p>Partner</p><p>jd77@acme.test</p></main>',
    'Jane Doe',
    'Partner',
    'jd77@acme.test',
  ],
  ['<p>Contact person: Jane Doe</p><p>Email: jd@acme.test</p>', 'Jane Doe', null, 'jd@acme.test'],
  [
    '<p>Contact: Jane Doe, Sales Manager</p><p>Email: jane@acme.test</p>',
    'Jane Doe',
    'Sales Manager',
    'jane@acme.test',
  ],
  [
    '<p>Vertreten durch die Geschäftsführerin:<br>Frau Erika Huber</p><p>Kontakt:<br>Tel. 030 901820</p>',
    'Erika Huber',
    'Geschäftsführerin',
    '',
  ],
  [
    '<dl><dt>代表者<dd>代表取締役社長 佐藤 健一<dt>設立<dd>1987年</dl>',
    '佐藤 健一',
    '代表取締役社長',
    '',
  ],
  [
    '<dl><dt>Ruimte</dt><dd>0.02</dd><dt>Contactpersoon</dt><dd>Jane Doe</dd><dt>E-mail</dt><dd>jd@acme.test</dd></dl>',
    'Jane Doe',
    null,
    'jd@acme.test',
  ],
  [
    '<table><tr><td>Treasurer</td><td>Jane Doe</td></tr><tr><td>Fee</td><td>12</td></tr></table>',
    'Jane Doe',
    'Treasurer',
    '',
  ],
  ['<h3>Ansprechpartnerin</h3><p>Jane Doe</p><p>Tel. 030 901820</p>', 'Jane Doe', null, ''],
  [
    '<main><h3>Jane Doe</h3><p>Manager of the house. Speaks French and English.</p></main>',
    'Jane Doe',
    'Manager of the house',
    '',
  ],
  ['<p>王伟 总经理<br>wang@acme.test</p>', '王伟', '总经理', 'wang@acme.test'],
  ['<p>Our CEO is Jane Doe (jane.doe@acme.test).</p>', 'Jane Doe', 'CEO', 'jane.doe@acme.test'],
])('%s describes one person', (html, name, title, emails) => {
  expect(rows(html)).toEqual([[name, title, emails]]);
});

test('a role address in a row of people belongs to the person beside it', () => {
  const card = (name: string, title: string, email: string): string =>
    `<div><h3>${name}</h3><p>${title}</p><p>${email}</p></div>`;
  expect(
    rows(card('Jane Doe', 'Buyer', 'jane@acme.test') + card('Ann Lee', 'Sales', 'sales@acme.test')),
  ).toEqual([
    ['Jane Doe', 'Buyer', 'jane@acme.test'],
    ['Ann Lee', 'Sales', 'sales@acme.test'],
  ]);
});

test('a role address in a row of a table belongs to the department of the row, not to the person', () => {
  const html =
    '<table><tr><th>Unit</th><th>Contact name</th><th>Phone</th><th>E-mail</th></tr>' +
    '<tr><td>Exports</td><td>Jane Doe</td><td>030 901821</td><td>jane.doe@acme.test</td></tr>' +
    '<tr><td>Spare parts</td><td>Ann Lee</td><td>030 901822</td><td>servis@acme.test</td></tr></table>';
  expect(
    read(html).map(({ name, title, emails, phones }) => [name, title, emails, phones]),
  ).toEqual([
    ['Jane Doe', 'Exports', ['jane.doe@acme.test'], ['+4930901821']],
    ['Ann Lee', 'Spare parts', [], ['+4930901822']],
  ]);
});

test('the press desk of another company is ignored', () => {
  expect(
    read('<p>Press contact of Fairs & Sons: Jane Doe, Press Officer, tel. +49 30 901820.</p>'),
  ).toEqual([]);
});

test('a name may stand behind its role and a comma', () => {
  expect(
    rows('<ul><li>Head of Sales, Jane Doe</li><li>Treasurer, John Smith, 030 123456</li></ul>'),
  ).toEqual([
    ['Jane Doe', 'Head of Sales', ''],
    ['John Smith', 'Treasurer', ''],
  ]);
});

test.each([
  'Our musical director, Jane Doe, joined us in 2016.',
  'Our head baker is Jane Doe. Write to cakes@acme.test.',
])('somebody whom a sentence introduces is a person: %s', (text) => {
  expect(rows(`<p>${text}</p>`).map(([name]) => name)).toEqual(['Jane Doe']);
});

test.each([
  'Our former director, Jane Doe, left us.',
  'Our founder, Jane Doe, began it.',
  'Our patron saint, Jane Doe, is old.',
])('nobody is read from %s', (text) => {
  expect(rows(`<p>${text}</p>`)).toEqual([]);
});

test('a role without a comma may begin a line with contacts', () => {
  expect(
    rows(
      '<p>Byggnadsinspektör Ville Kuoppala, 0980-319 231, telefontid 9</p><p>Chief Roy Tillman Memorial Run</p>',
    ),
  ).toEqual([['Ville Kuoppala', 'Byggnadsinspektör', '']]);
});

test('a role may stand directly before a name that ends its line', () => {
  expect(rows('<p>Revizní komise:<br>předseda Sedlák Miloslav<br>Byggchef Karin Lund</p>')).toEqual(
    [
      ['Sedlák Miloslav', 'předseda', ''],
      ['Karin Lund', 'Byggchef', ''],
    ],
  );
});

test('a degree behind a name after a label is no second name', () => {
  expect(rows('<p>Tajemník: Ing. Pavel Škrdlant, CSc., tel. 732 410 665</p>')).toEqual([
    ['Ing. Pavel Škrdlant', 'Tajemník', ''],
  ]);
});

test('contacts above a lone name belong to what their heading names', () => {
  const html =
    '<section><h1>Library</h1><p>Tel. 030 1234567, library@acme.test</p><p>Jane Doe, librarian</p></section>';
  expect(read(html).map(({ name, emails, phones }) => [name, emails, phones])).toEqual([
    ['Jane Doe', [], []],
  ]);
});

test.each([
  'Ordfører',
  'Podstarszy',
  'Tilintarkastaja',
  'Knihař',
  'Titkára',
  'Schießwart',
  'Vice-présidente',
  'Αντιπρόεδρος',
])('the office "%s" is a role', (office) => {
  expect(rows(`<h3>Jane Doe</h3><p>${office}</p>`)).toEqual([['Jane Doe', office, '']]);
});

test('a nickname may stand within a name in a sentence', () => {
  const [found] = read('<p>Our head baker, Josephine “Jo” Doe, starts early.</p>');
  expect(found).toMatchObject({ name: 'Josephine “Jo” Doe', title: 'head baker' });
});

test('a role in the header of a column is that of the people below it', () => {
  const html =
    '<table><tr><th>Classe</th><th>Enseignant</th></tr><tr><td>CP</td><td>Mlle DROUET Aurélie</td></tr><tr><td>CM1</td><td>M. CADIOU Hervé</td></tr></table>';
  expect(rows(html)).toEqual([
    ['DROUET Aurélie', 'Enseignant', ''],
    ['CADIOU Hervé', 'Enseignant', ''],
  ]);
});

test('a role that is also a surname is a role in lower case', () => {
  expect(
    rows(
      '<div><h4>Jane Doe</h4><p>Bench joiner</p></div><div><h4>John Smith</h4><p>Bench joiner</p></div>',
    ),
  ).toEqual([
    ['Jane Doe', 'Bench joiner', ''],
    ['John Smith', 'Bench joiner', ''],
  ]);
});

test('the name of the host below the heading of a team is nobody, that of the owner is', () => {
  const namesIn = (html: string): (string | null)[] => {
    const url = 'https://anna-rutherford.test/about';
    return readTeamCards({ url, html, page: openPage(html), region: null }).map(({ name }) => name);
  };
  expect(namesIn('<h2>Team</h2><p>Anna Rutherford</p><p>Jane Doe</p>')).toEqual(['Jane Doe']);
  expect(namesIn('<h2>Owner</h2><p>Anna Rutherford</p>')).toEqual(['Anna Rutherford']);
});

test.each([
  ['/alumni', 'Acme'],
  ['/seminars.html', 'Acme'],
  ['/42', 'Gästbok – Acme'],
  ['/sponsors/', 'Acme'],
])('the people at %s, titled %j, are not of the organisation', (path, title) => {
  const html = `<title>${title}</title><ul><li>Jane Doe, director</li><li>John Smith, analyst</li></ul>`;
  const peopleAt = (at: string, body: string): number =>
    readTeamCards({ url: `https://acme.test${at}`, html: body, page: openPage(body), region: null })
      .length;
  expect(peopleAt(path, html)).toBe(0);
  expect(peopleAt('/people', html.replace(title, 'Acme'))).toBe(2);
});

test('a name ends with its element, and "D." beside "D.ª" is no part of it', () => {
  const card = (name: string): string => `<li><h4>${name} <small>Nave Peso</small></h4>Vocal</li>`;
  const names = (html: string): (string | null)[] => read(html).map(({ name }) => name);
  expect(names(`<ul>${card('Nuria Ballarín')}${card('Ana Peiró')}</ul>`)).toEqual([
    'Nuria Ballarín',
    'Ana Peiró',
  ]);
  expect(names('<p>Vocales: D. Mohamed Bouzidi, D.ª Carmen Tapia</p>')).toEqual([
    'Mohamed Bouzidi',
    'Carmen Tapia',
  ]);
});
