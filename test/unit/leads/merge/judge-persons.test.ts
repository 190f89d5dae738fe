import { expect, test } from 'vitest';
import { contactCard } from '#src/leads/extract/contact-card.ts';
import type { ExtractedPage, PersonMention } from '#src/leads/extract/extracted-page.ts';
import { judgePersons } from '#src/leads/merge/judge-persons.ts';

const mention = (
  name: string,
  weight: number,
  given: Partial<PersonMention> = {},
): PersonMention => ({
  name,
  title: null,
  weight,
  subject: 'page: organization',
  ...given,
});
const page = (path: string, given: Partial<ExtractedPage>): ExtractedPage => ({
  url: `https://www.acme.test${path}`,
  canonicalUrl: `https://www.acme.test${path}`,
  title: '',
  siteName: '',
  language: 'en',
  cards: [],
  links: [],
  needsRendering: false,
  ...given,
});
const rule = (name: string, emails: string[] = []): ReturnType<typeof contactCard> =>
  contactCard({ technique: 'team-card', kind: 'person', name, emails });
const namesOf = (pages: readonly ExtractedPage[]): (string | null)[] =>
  pages.flatMap(({ cards }) => cards.map(({ name }) => name));

test('adds a name that its surroundings make sure, once, with its role', () => {
  const mentions = [mention('Jane Doe', 3, { title: 'Bookkeeper' }), mention('Jane Doe', 2)];
  const [judged] = judgePersons([page('/about', { mentions })]);
  expect(judged?.cards).toEqual([
    contactCard({ technique: 'team-name', kind: 'person', name: 'Jane Doe', title: 'Bookkeeper' }),
  ]);
});

test('takes the best mention of several pages, and leaves names that are not sure', () => {
  const judged = judgePersons([
    page('/', { mentions: [mention('Jane Doe', -3), mention('John Smith', -1)] }),
    page('/about', { mentions: [mention('Doe Jane', 3)] }),
  ]);
  expect(judged.map((one) => namesOf([one]))).toEqual([[], ['Doe Jane']]);
});

test('does not add whom a rule has found on another page', () => {
  const judged = judgePersons([
    page('/', { cards: [rule('Jane Doe')] }),
    page('/about', { mentions: [mention('Jane Doe', 3)] }),
  ]);
  expect(namesOf(judged)).toEqual(['Jane Doe']);
});

test('drops what a rule has found where all mentions speak against it', () => {
  const cards = [rule('Acme Films'), rule('Jane Doe'), rule('Mary Major')];
  const mentions = [mention('Acme Films', -6), mention('Jane Doe', -1)];
  // Mary Major is nowhere in the text.
  expect(namesOf(judgePersons([page('/', { cards, mentions })]))).toEqual([
    'Jane Doe',
    'Mary Major',
  ]);
});

test('keeps a name with an address of its own, in structured data, or of a member', () => {
  const cards = [
    rule('Jane Doe', ['jane.doe@acme.test']),
    contactCard({ technique: 'json-ld', kind: 'person', name: 'John Smith' }),
    contactCard({ technique: 'member-card', kind: 'person', entity: 'member', name: 'Mary Major' }),
  ];
  const mentions = cards.map(({ name }) => mention(name ?? '', -9));
  expect(namesOf(judgePersons([page('/', { cards, mentions })]))).toEqual(
    namesOf([page('/', { cards })]),
  );
});

test('a name on several pages counts more than on one', () => {
  const alone = page('/', { mentions: [mention('Jane Doe', 0.1)] });
  expect(namesOf(judgePersons([alone]))).toEqual([]);
  const others = [mention('Jane Doe', 0.1), mention('John Smith', -1)];
  expect(namesOf(judgePersons([alone, page('/about', { mentions: others })]))).toEqual([
    'Jane Doe',
  ]);
});

test('pages without mentions stay as they are', () => {
  const pages = [page('/', { cards: [rule('Jane Doe')] })];
  expect(judgePersons(pages)).toEqual(pages);
});
