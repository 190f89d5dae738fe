import { expect, test } from 'vitest';
import { emptyDraft } from '#src/leads/merge/join-drafts.ts';
import type { Evidence, Evidenced, LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { scoreLead } from '#src/leads/merge/score.ts';

type Technique = Evidence['technique'];
const at = (path: string, technique: Technique): Evidence => ({
  url: `https://acme.test${path}`,
  technique,
});
const value = (text: string, ...evidence: Evidence[]): Evidenced => ({ value: text, evidence });
const lead = (given: Partial<LeadDraft>): LeadDraft => ({
  ...emptyDraft('person', 'acme.test'),
  ...given,
});
const email = (address: string, ...evidence: Evidence[]): LeadDraft =>
  lead({ emails: [value(address, ...evidence)] });

test('an empty lead scores nothing', () => {
  expect(scoreLead(lead({}), null)).toBe(0);
});

test('a domain without mail servers or a disposable one caps the score of an address', () => {
  const sure = email('jane@acme.test', at('/a', 'json-ld'), at('/b', 'mailto'), at('/c', 'mailto'));
  expect(scoreLead(sure, 'no_mx')).toBe(0.2);
  expect(scoreLead(email('jane@mailinator.com', at('/a', 'json-ld')), 'mx')).toBe(0.2);
});

test.each<[Technique, number]>([
  ['json-ld', 0.9],
  ['microdata', 0.9],
  ['h-card', 0.88],
  ['mailto', 0.85],
  ['cloudflare', 0.85],
  ['obfuscated', 0.75],
  ['visible-text', 0.6],
  ['page-title', 0.4],
])('%s alone scores %d', (technique, score) => {
  expect(scoreLead(email('x.y@other.test', at('/', technique)), 'unknown')).toBe(score);
});

test('independent sources, the domain of the site, a mail server and a matching name add up', () => {
  expect(scoreLead(email('x.y@other.test', at('/', 'mailto'), at('/b', 'mailto')), null)).toBe(0.9);
  expect(scoreLead(email('x.y@other.test', at('/', 'mailto'), at('/', 'json-ld')), null)).toBe(
    0.95,
  );
  expect(scoreLead(email('x.y@mail.acme.test', at('/', 'mailto')), null)).toBe(0.9);
  expect(scoreLead(email('x.y@other.test', at('/', 'mailto')), 'mx')).toBe(0.88);
  const named = {
    ...email('jane@other.test', at('/', 'mailto')),
    name: value('Jane Doe', at('/', 'team-card')),
  };
  expect(scoreLead(named, null)).toBe(0.9);
});

test('one page that shows an address in two ways counts as one source', () => {
  expect(scoreLead(email('x.y@other.test', at('/', 'mailto'), at('/', 'visible-text')), null)).toBe(
    0.85,
  );
});

test('a role address loses a tenth', () => {
  expect(scoreLead(email('info@other.test', at('/', 'mailto')), null)).toBe(0.75);
});

test('no score is above 1', () => {
  const evidence = Array.from({ length: 9 }, (_, page) => at(`/${page}`, 'json-ld'));
  expect(scoreLead(email('jane@acme.test', ...evidence), 'mx')).toBe(1);
});

test('a lead without an address scores like its best contact, or its name', () => {
  const name = value('Jane Doe', at('/', 'team-card'));
  const phones = [
    value('+49301234567', at('/', 'visible-text')),
    value('+49301234568', at('/', 'tel-link')),
  ];
  expect(scoreLead(lead({ name }), null)).toBe(0.6);
  expect(scoreLead(lead({ name, phones }), null)).toBe(0.85);
  expect(
    scoreLead(
      lead({ name, linkedin: [value('https://www.linkedin.com/in/jane', at('/', 'json-ld'))] }),
      'mx',
    ),
  ).toBe(0.9);
});
