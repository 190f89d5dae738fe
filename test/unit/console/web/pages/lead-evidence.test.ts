import { expect, test } from 'vitest';
import { TECHNIQUES } from '#src/leads/extract/contact-card.ts';
import { evidenceLine, placeOf } from '#src/console/web/pages/lead-evidence.ts';

test('a source is told in words: which page, and where on it', () => {
  const source = { url: 'https://acme.test/team?page=2', technique: 'team-card' };
  expect(placeOf(source)).toBe('on /team?page=2, in a team card');
  expect(evidenceLine({ email: [{ sources: [source] }], phone: [] })).toBe(
    'email: https://acme.test/team?page=2 (team-card)',
  );
});

test('there are words for every technique', () => {
  for (const technique of TECHNIQUES) {
    expect(placeOf({ url: 'https://acme.test/', technique })).not.toContain(`by ${technique}`);
  }
});
