/** A document of the corpus that the search cases are asked of. */
export interface CorpusDocument {
  id: string;
  title: string;
  text: string;
  source?: string;
  metadata?: Record<string, string>;
  updatedAt?: string;
}

const COMMON =
  'Everybody who works here reads this page once a year and asks the office when something is unclear. ';
const HANDBOOK = [
  'The canteen serves lunch from noon to two, and coffee all day.',
  'Visitors sign the book at the door and wear a badge while they are in the house.',
  'Whoever leaves last closes the windows and turns off the lights on the floor.',
  'Parcels are kept at the front desk until the evening of the next day.',
  'Bicycles stand in the yard, never in the hall, and cars behind the gate.',
  'The first aid box hangs beside the lift, and the list of helpers beside the box.',
].join(' ');

/** Old enough that age decides nothing between two of them. */
const OLD = '2020-01-01T00:00:00Z';

const DOCUMENTS: CorpusDocument[] = [
  // Phrases
  {
    id: 'vpn-reset',
    title: 'VPN reset guide',
    text: 'To reset the VPN client, open its settings and press the round button. Then sign in again.',
  },
  {
    id: 'vpn-legacy',
    title: 'Remote access',
    text: 'The client of the legacy VPN cannot be reset by its user. Ask the help desk for a token.',
  },
  {
    id: 'hamlet',
    title: 'Hamlet',
    text: 'To be, or not to be, that is the question: whether it is nobler in the mind to suffer.',
  },
  {
    id: 'split-1',
    title: 'Time-sharing systems',
    text: 'In a time-sharing system many users have one computer, and each believes that it is alone.',
  },
  // Identifiers
  {
    id: 'parser',
    title: 'Parser reference',
    text: 'Call parseHttpRequest() once a request. Its option max_retries is 5, and io-timeout is ten seconds.',
  },
  {
    id: 'errors',
    title: 'Error codes',
    text: 'ERR_CONN_4021: the peer closed the connection. ERR_CONN_4022: the peer did not answer.',
  },
  {
    id: 'cve',
    title: 'Advisory',
    text: 'CVE-2024-3094 is a back door in the library xz. Update at once.',
  },
  {
    id: 'cve-other',
    title: 'Advisory',
    text: 'CVE-2023-4863 is an overflow in the library webp. Update at once.',
  },
  {
    id: 'invoice-17',
    title: 'Invoice INV-2024-00017',
    text: `Invoice INV-2024-00017 of the mill. ${COMMON}`,
  },
  {
    id: 'invoice-18',
    title: 'Invoice INV-2024-00018',
    text: `Invoice INV-2024-00018 of the mill. ${COMMON}`,
  },
  {
    id: 'mail',
    title: 'Contacts',
    text: 'Write to anna.schmidt@mill.example, or call +49 30 1234567.',
  },
  // Versions
  { id: 'v3.11.2', title: 'Release 3.11.2', text: 'Version 3.11.2 mends the crash at start.' },
  { id: 'v3.11.21', title: 'Release 3.11.21', text: 'Version 3.11.21 mends the crash at exit.' },
  { id: 'v2.11.3', title: 'Release 2.11.3', text: 'Version 2.11.3 mends the list of sacks.' },
  { id: 'v3.12', title: 'Release 3.12', text: 'Version 3.12 brings the new crash reporter.' },
  { id: 'node-24', title: 'Runtime', text: 'Node 24 strips the types; Node 18 does not.' },
  { id: 'v2.14.3', title: 'Patch notes', text: 'With 2.14.3 the importer reads empty rows again.' },
  {
    id: 'v3.14.2',
    title: 'Patch notes',
    text: 'With 3.14.2 the exporter writes empty rows again.',
  },
  { id: 'address', title: 'Gateway', text: 'The gateway has the address 10.20.30.40 in the yard.' },
  // Symbols
  { id: 'lang-c', title: 'Drivers', text: 'The drivers are written in C, as they ever were.' },
  {
    id: 'lang-cpp',
    title: 'Engine',
    text: 'The engine of the sifter is written in C++ since spring.',
  },
  {
    id: 'lang-cpp20',
    title: 'Press C++20',
    text: 'The press moved to C++20, C++20 modules and C++20 ranges: what C++17 had stays.',
  },
  { id: 'lang-cs', title: 'Till', text: 'The till is written in C# and runs on .NET at the gate.' },
  { id: 'lang-fs', title: 'Ledger', text: 'The ledger is written in F# by the accountants.' },
  { id: 'lang-js', title: 'Kiosk', text: 'The kiosk is written for Node.js, like the menu board.' },
  { id: 'net-worth', title: 'Accounts', text: 'The net worth of the mill is told once a year.' },
  // Typing errors
  {
    id: 'kubernetes',
    title: 'Cluster',
    text: 'Kubernetes restarts a container that does not answer its probe.',
  },
  {
    id: 'lodging',
    title: 'Travel',
    text: 'Accommodation for a business trip is booked by the office.',
  },
  {
    id: 'database',
    title: 'Storage',
    text: 'The database is vacuumed every night, and its replicas follow.',
  },
  { id: 'receipt', title: 'Expenses', text: 'Keep every receipt; reimbursement takes two weeks.' },
  // Words that are nearly others
  {
    id: 'otters',
    title: 'Pond',
    text: 'Otter husbandry at the pond: fish twice a day, and fresh straw on Mondays.',
  },
  { id: 'lease', title: 'Lower field', text: 'The lease of the lower field ends in May.' },
  { id: 'horses', title: 'Stable', text: 'The horses of the mill are brushed before noon.' },
  { id: 'stores', title: 'Attic', text: 'The stores in the attic are counted in autumn.' },
  // Languages
  {
    id: 'de',
    title: 'Urlaub',
    text: 'Den Urlaubsantrag stellen Mitarbeiterinnen im Portal. Über größere Änderungen entscheidet die Geschäftsführung.',
  },
  {
    id: 'de-compound',
    title: 'Verträge',
    text: 'Die Haftpflichtversicherung der Mühle läuft bis Mai. Den Straßenreinigungsdienst zahlt die Stadt.',
  },
  {
    id: 'de-notice',
    title: 'Personalakte',
    text: 'Kündigungen gehen schriftlich an die Leitung.',
  },
  // Compounds whose last part is no common word of business
  {
    id: 'de-pavement',
    title: 'Aushang',
    text: 'Der Gehweg vor der Mühle ist breit und wird bis zur Einigung nicht gestreut.',
  },
  {
    id: 'de-pavement-cleaning',
    title: 'Winter',
    text: 'Die Gehwegreinigung ist für den Pächter nicht kostenlos, auch nicht im Februar.',
  },
  {
    id: 'nl-waste',
    title: 'Afspraken',
    text: 'Het bedrijf betaalt de afvalverwerking niet zelf. De verwerking van glas is ook voor de stad.',
  },
  {
    id: 'de-curd',
    title: 'Molkerei',
    text: 'Die Quarkzubereiter sind nicht im Haus, und der Walzer im Mondschein ist schön.',
  },
  { id: 'de-green', title: 'Garten', text: 'Grün ist die Hecke, süß sind die Kirschen.' },
  { id: 'da-lunch', title: 'Frokost', text: 'Til frokost er der smørrebrød med sild.' },
  {
    id: 'pl',
    title: 'Łódź',
    text: 'Biuro w mieście Łódź jest zamknięte w piątki.',
  },
  { id: 'da', title: 'København', text: 'Kontoret i København har åbent om søndagen.' },
  { id: 'tr', title: 'Isparta', text: 'Isıtma sistemi ısı ölçer ile denetlenir.' },
  { id: 'ru-yo', title: 'Ёлка', text: 'Ёлка стоит во дворе до января.' },
  {
    id: 'fr',
    title: 'Congés',
    text: 'La demande de congé annuel se fait au début de l’année, avec l’accord du supérieur hiérarchique.',
  },
  {
    id: 'es',
    title: 'Vacaciones',
    text: 'El empleado pide sus vacaciones en el portal. El año laboral empieza en enero.',
  },
  { id: 'ru', title: 'Отпуск', text: 'Заявление на отпуск подаётся через портал за две недели.' },
  {
    id: 'ja',
    title: '休暇',
    text: '有給休暇の申請はポータルで行います。東京都の事務所にも適用されます。',
  },
  { id: 'zh', title: '年假', text: '员工通过门户网站申请年假。北京办公室也适用。' },
  { id: 'ar', title: 'الإجازة', text: 'يقدم الموظف طلب الإجازة عبر البوابة قبل أسبوعين.' },
  { id: 'th', title: 'วันลา', text: 'พนักงานยื่นใบลาผ่านระบบล่วงหน้าสองสัปดาห์' },
  // Titles
  {
    id: 'onboarding',
    title: 'Onboarding checklist',
    text: 'Laptop, badge, accounts, desk and a walk through the house.',
  },
  {
    id: 'onboarding-mention',
    title: 'Minutes of March',
    text: 'We spoke about the canteen, the yard, onboarding, the gate, a checklist for parcels and the lift. We spoke about the canteen, the yard, the gate and the lift.',
  },
  {
    id: 'quarterly',
    title: 'Quarterly zeppelin report',
    text: 'Sales rose in the north and fell in the south.',
  },
  {
    id: 'draft',
    title: 'Draft of the security policy',
    text: 'Passwords have twelve letters. Badges are worn.',
  },
  {
    id: 'policy',
    title: 'Security policy',
    text: 'Passwords have fourteen letters. Badges are worn.',
  },
  { id: 'party', title: 'Harvest', text: 'The harvest is in 🎉 and supper is at seven.' },
  // Recency
  {
    id: 'prices-2019',
    title: 'Price list',
    text: 'The price list of the mill: flour costs two crowns a sack.',
    updatedAt: '2019-01-01T00:00:00Z',
  },
  {
    id: 'prices-2025',
    title: 'Price list',
    text: 'The price list of the mill: flour costs nine crowns a sack.',
    updatedAt: '2025-12-01T00:00:00Z',
  },
  // Copies
  { id: 'handbook', title: 'House rules', text: HANDBOOK },
  { id: 'handbook-copy', title: 'House rules (copy)', text: HANDBOOK },
  {
    id: 'handbook-near',
    title: 'House rules',
    text: HANDBOOK.replace('coffee all day', 'tea all day'),
  },
  {
    id: 'handbook-other',
    title: 'Office rules',
    text: 'Visitors sign the book at the door. The canteen serves lunch, and the yard is for bicycles.',
  },
  // Synonyms and filters
  {
    id: 'car',
    title: 'Fleet',
    text: 'An automobile of the fleet is reserved a day ahead.',
    source: 'wiki',
    metadata: { team: 'office' },
  },
  {
    id: 'aws',
    title: 'Cloud',
    text: 'Our servers run at Amazon Web Services in Frankfurt.',
    source: 'wiki',
    metadata: { team: 'platform' },
  },
  {
    id: 'web-page',
    title: 'Careers',
    text: 'We are looking for millers; the fleet is looking for drivers.',
    source: 'web',
    metadata: { team: 'office' },
  },
];

export const CORPUS: readonly CorpusDocument[] = DOCUMENTS.map((one) => ({
  ...one,
  updatedAt: one.updatedAt ?? OLD,
}));

/** Only their owner may find them. */
export const PRIVATE_CORPUS: readonly CorpusDocument[] = [
  {
    id: 'salary',
    title: 'Salary bands secretum',
    text: 'The salary of the zephyrine engineer is 90,000.',
    source: 'wiki',
    metadata: { team: 'secretum' },
    updatedAt: OLD,
  },
  // The other part of a compound that all may see, a compound of which all may see the other part, and a synonym in
  // another inflection
  {
    id: 'curd-private',
    title: 'Rezepte',
    text: 'Der Quark ist nicht für die Gäste. Die Mondscheinwalze wird im Mai gekauft, und du kündigst.',
    updatedAt: OLD,
  },
  { id: 'handbook-private', title: 'House rules', text: HANDBOOK, updatedAt: OLD },
];

/** A document as ingestion takes it. */
export function asPushed({ id, title, text, source, metadata, updatedAt }: CorpusDocument): object {
  return {
    id,
    semantic_identifier: title,
    sections: [{ text, link: `https://mill.example/${id}` }],
    source: source ?? 'file',
    metadata: metadata ?? {},
    doc_updated_at: updatedAt,
  };
}
