import { describe, expect, test } from 'vitest';
import { nameMatchesAddress, nameMatchesHandle } from '#src/leads/extract/name-matches-address.ts';
import { personNameKey, readPersonName } from '#src/leads/extract/person-name.ts';
import { isDepartmentLine, isRoleLine } from '#src/leads/extract/role-words.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

describe('the name reader refuses', () => {
  test.each([
    'Our Team',
    'Contact Us',
    'Read More',
    'Privacy Policy',
    'Opening Hours',
    'Acme Cloud',
    'Starter Plan',
    'Unser Team',
    'Über uns',
    'Mehr erfahren',
    'Notre équipe',
    'Nuestro Equipo',
    'Chi siamo',
    'Nossa Equipe',
    'Nasz zespół',
    'Vårt team',
    'Наша команда',
    'О компании',
    'İletişim',
    'Προϊσταμένη Γραμματείας',
    'Hamnfogden Fastigheter',
    'Summer Interns',
    'Pflege und Sozialdienst',
    'Cônsul Honorário',
    'Vice-Cônsul Marli',
    'Membro Honorário',
    'Jane Doe und John Smith',
    '联系我们',
    '会社概要',
    '営業部',
    '고객센터',
    '회사소개',
    'New York',
    'San Francisco',
    'Bad Homburg',
    'Hong Kong',
    'Frankfurt am Main',
    'United Kingdom',
    'Sales Manager',
    'Chief Executive Officer',
    'Head of Sales',
    'Leiter Einkauf',
    'Directeur Commercial',
    'ACME GmbH',
    'jane doe',
    'Max',
    'J. R.',
    'jane@acme.test',
    'Jane Doe is our founder.',
    'Room 12',
    'CRM USA',
    'Amtsgericht Lüneburg',
    'Handwerkskammer Ruhr-Börde',
    'Gemeinde Bad Hollern',
    'Kassenärztliche Vereinigung Rheinufer',
    'Wiedenroth Verwaltungs-GmbH',
    'Campus Police',
    'Starostwo Powiatowe',
    'Bankhaus Rheinau',
    'Movimento Vilar Primeiro',
    'Lurdes Canhoto e Filipa Vargues',
    'Lucia e Paolo Marangon',
    'Cllrs Doe',
    'La Guilde',
    'Café Spaden',
    "Jane Doe's",
    'Hansa Assekuranz',
    'Niederlassung Salzburg',
    'Van der Molen Registeraccountants',
    'Ovella Negra Films',
    'E-mail Rady',
    'Państwa Oliwia',
    'Padova, Rovigo',
    'Luciana e Francieli Petry',
    'Jane Doe von',
    'Van der Molen',
    'BA MA',
    'Montana Tech',
    'Jane Doe (Treasurer)',
    '',
    '   ',
  ])('%j', (text) => {
    expect(readPersonName(text)).toBeNull();
  });

  test('long or hostile text quickly', () => {
    for (const text of [
      'Aa '.repeat(100_000),
      'A.'.repeat(100_000),
      'Dr. '.repeat(50_000),
      ','.repeat(200_000),
    ]) {
      const cpuMs = cpuMsOf(() => {
        expect(readPersonName(text)).toBeNull();
      });
      expect(cpuMs).toBeLessThan(1_000);
    }
  });
});

test.each([
  'Jane Doe',
  'Dr. Anna Schmidt',
  'Prof. Dr. med. Hans-Peter Müller-Lüdenscheidt',
  'Dipl.-Ing. Karl Weiß',
  'Jan van den Berg',
  'Karl von und zu Weiß',
  'José García López',
  'Muhammad bin Salman',
  "Seán O'Neill",
  'J. R. R. Tolkien',
  'Mary J. Blige',
  'Robert "Bob" Smith',
  'Jean DUPONT',
  'JANE DOE',
  'Larry Page',
  'Jack Ma',
  'Kim Min-jun',
  'Łukasz Żak',
  'Ayşe Yılmaz',
  'Nagy Zsófia',
  'Иван Петров',
  'Олена Коваленко',
  'Αλέξανδρος Παπαδόπουλος',
  '王伟',
  '欧阳修文',
  '山田 太郎',
  '佐藤花子',
  '김민준',
  '남궁민수',
  'محمد علي',
  'Doe, Jane',
  'Mgr. et Mgr. Jan Novák',
  'PaedDr. Jana Malá',
  'dr. sc. Jana Malá',
  'Maria Silva e Sousa',
  'José Ortega y Gasset',
  'Uzm. Dr. Ali Can',
  'Prof.ssa Anna Verdi',
  'Eng.º Rui Gil',
  'Hans Maier jun.',
  "Piet 't Hart",
  'Paul Miller',
  'Teresa Ślusarz',
])('%s is a name', (name) => {
  expect(readPersonName(`  ${name} `)).toBe(name);
});

test.each([
  'Wim te Brake',
  'Solène d’Arribat',
  'Dott. Geol. Leandro Fazzi',
  'Assessor jur. Holger Drüke',
  'dr n. med. Tomasz Nowak',
  'dr hab. n. o zdr. Anna Nowak',
  'Dr. N. Smith',
  'M.ª Ángeles Lanuza Buil',
  'M° Rocco Verdi',
  'Ing. Jaroslav Novák ml.',
  "StD' Jana Malá",
  'Le Minh',
  'de Sanctis, Maria Pia',
  'Doe, Dr. med. Jane',
  'Doe, Jane, Dr.',
  'Solfrid Ask',
])('%s is a name', (name) => {
  expect(readPersonName(name)).toBe(name);
});

test.each([
  ['As. Viorica Popescu', 'viorica popescu'],
  ['Ps. BRUSTUR Anca', 'brustur anca'],
  ['C.P. Hortensia Villaseñor', 'hortensia villasenor'],
  ['J.R. Smith', 'jr smith'],
  ['Dr.in Judith Enzenhofer', 'judith enzenhofer'],
  ['Dipl.-Ing.in Anna Maier', 'anna maier'],
  ['mr.drs. Anna de Vries', 'anna de vries'],
  ['RAin Anna Maier', 'anna maier'],
  ['RA Anna Maier', 'anna maier'],
  ['Mar López', 'mar lopez'],
  ['Mtra. Anna García', 'anna garcia'],
  ['mł. bryg. Jan Nowak', 'jan nowak'],
  ['Revd John Murphy', 'john murphy'],
])('without its titles, %s is %s', (name, key) => {
  expect(readPersonName(name)).toBe(name);
  expect(personNameKey(name)).toBe(key);
});

test('degrees after a name are dropped', () => {
  expect(readPersonName('Jane Doe, PhD, MBA')).toBe('Jane Doe');
  expect(readPersonName('Jane Doe ACA')).toBe('Jane Doe');
  expect(readPersonName('Jane Doe BVSc MRCVS')).toBe('Jane Doe');
  expect(readPersonName('Jane Doe Dip CII')).toBe('Jane Doe');
  expect(readPersonName('Jane Doe, lic. iur.')).toBe('Jane Doe');
  expect(readPersonName('Jane Doe, dipl. Ing. ETH')).toBe('Jane Doe');
  expect(readPersonName('Dr. med. vet. Imke Hagedorn')).toBe('Dr. med. vet. Imke Hagedorn');
  expect(readPersonName('Jane Doe, Head of Sales')).toBeNull();
});

test('brackets behind a name are dropped', () => {
  expect(readPersonName('Jane Doe (Sunflowers)')).toBe('Jane Doe');
  expect(personNameKey('Jane Doe (Smith)')).toBe('jane doe');
  expect(readPersonName('Virtanen Outi (OVI)')).toBe('Virtanen Outi');
  expect(readPersonName('Mona Berg (KrF)')).toBe('Mona Berg');
});

test('titles, accents, word order and middle initials do not make another person', () => {
  for (const name of [
    'Prof. Dr. José  García',
    'JOSE GARCIA',
    'García, José',
    'GARCÍA José',
    'José M. García',
    'José García, PhD',
  ]) {
    expect(personNameKey(name)).toBe('jose garcia');
  }
  expect(personNameKey('Josefa García')).not.toBe('jose garcia');
});

describe('the address', () => {
  test.each([
    ['Jane Doe', 'info@acme.test'],
    ['Jane Doe', 'john.doe@acme.test'],
    ['Jane Doe', 'jsmith@acme.test'],
    ['Jane Doe', 'j@acme.test'],
    ['Jane Doe', 'team-jane-and-john@acme.test'],
    ['Jane Doe', '@acme.test'],
    ['Jane', 'jane@acme.test'],
    ['王伟', 'office@acme.test'],
    ['', 'jane@acme.test'],
  ])('of %s is not %s', (name, email) => {
    expect(nameMatchesAddress(name, email)).toBe(false);
  });

  test.each([
    ['Jane Doe', 'jane.doe@acme.test'],
    ['Jane Doe', 'jdoe@acme.test'],
    ['Jane Doe', 'J.Doe+news@acme.test'],
    ['Jane Doe', 'jane@acme.test'],
    ['Jane Doe', 'doe@acme.test'],
    ['Jane Doe', 'doe.jane2@acme.test'],
    ['Jane Doe', 'janed@acme.test'],
    ['Dr. Jörg Müller', 'joerg.mueller@acme.test'],
    ['Jörg Müller', 'j.muller@acme.test'],
    ['Jan van den Berg', 'j.vandenberg@acme.test'],
    ['Jan van den Berg', 'jan.berg@acme.test'],
    ['José García López', 'jose.garcia@acme.test'],
    ['Anna-Lena Schmidt', 'anna.schmidt@acme.test'],
    ['Jane Doe', 'jane.doe.ceramics@acme.test'],
    ['Kim Min-jun', 'minjun.kim@acme.test'],
    ['Søren Kjær', 'skjaer@acme.test'],
    ['Иван Петров', 'i.petrov@acme.test'],
    ['Юлия Соколова', 'yu.sokolova@acme.test'],
  ])('of %s is %s', (name, email) => {
    expect(nameMatchesAddress(name, email)).toBe(true);
  });

  test('in a profile may end in a suffix added by the network', () => {
    expect(nameMatchesHandle('Jane Doe', 'jane-doe-1a2b3c')).toBe(true);
    expect(nameMatchesHandle('Jane Doe', 'john-doe-1a2b3c')).toBe(false);
  });
});

describe('a role line', () => {
  test.each([
    'CEO',
    'Head of Sales',
    'VP, Engineering',
    'Co-Founder & CTO',
    'Geschäftsführer',
    'Vertriebsleiterin',
    'Leiterin Einkauf',
    'stellv. Obermeister',
    'Directrice générale',
    'Chargée de communication',
    'Directora de ventas',
    'Amministratore delegato',
    'Sócia-gerente',
    'Oprichter',
    'Prezes Zarządu',
    'Verkställande direktör',
    'Toimitusjohtaja',
    'Jednatel společnosti',
    'Ügyvezető igazgató',
    'Genel Müdür',
    'Διευθύνων Σύμβουλος',
    'Директор по продажам',
    'Засновниця',
    '代表取締役',
    '总经理',
    '팀장',
    'Town Clerk',
    'Trustees',
    'Gemeinderätin',
    'Conseillers municipaux',
    'Concejala',
    'Vicesindaco',
    'Wethouder',
    'Místostarosta',
    'Wójt',
    'Suppleant',
    'Jegyző',
    'Sayman',
    '行政書士',
  ])('can be %s', (line) => {
    expect(isRoleLine(line)).toBe(true);
  });

  test.each([
    'Berlin',
    'Fischer',
    'We are the leaders.',
    'Our manager is great',
    'Ask your manager!',
    'director@acme.test',
    'Call the office manager: 030 1234567',
    'x'.repeat(200),
    'Read more',
  ])('is not %j', (line) => {
    expect(isRoleLine(line)).toBe(false);
  });

  test('is distinguished from a department', () => {
    expect(isDepartmentLine('Forschung & Entwicklung')).toBe(true);
    expect(isDepartmentLine('Sales')).toBe(true);
    expect(isDepartmentLine('Sales in Berlin')).toBe(false);
  });
});
