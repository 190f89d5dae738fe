import { expect, test } from 'vitest';
import { describeGivenUp, describeTurn } from '#src/email/describe-pace.ts';
import { providerLimitOf } from '#src/email/provider-limits.ts';

const placeOf = (host: string, user: string) => ({ host, limit: providerLimitOf({ host, user }) });
const MICROSOFT = placeOf('smtp.office365.com', 'ada@acme.example');
const ZOHO = placeOf('smtp.zoho.com', 'ada@acme.example');
const GMAIL = placeOf('smtp.gmail.com', 'ada@gmail.com');
const OTHER = placeOf('smtp.acme.example', 'ada@acme.example');

test.each([
  ['rate', MICROSOFT, 'Microsoft 365 accepts 30 messages a minute from one account'],
  ['rate', ZOHO, 'Zoho Mail accepts 50 messages an hour from one account'],
  ['rate', OTHER, 'smtp.acme.example accepts only some messages at a time'],
  ['day', GMAIL, 'Gmail accepts 500 messages a day from one account. 450 have been sent'],
  ['refused', OTHER, 'smtp.acme.example has said that this account has reached a sending limit'],
] as const)('the text for %s names the limit', (because, place, words) => {
  const text = describeTurn(because, place);
  expect(text).toContain(words);
  expect(text).not.toMatch(/undefined|null|Infinity|\s{2}/);
});

test('the text for a message that waited too long names the limit and the remedy', () => {
  const text = describeGivenUp(describeTurn('day', GMAIL));
  expect(text).toMatch(/three days.*Gmail accepts 500 messages a day.*Send it again/);
});
