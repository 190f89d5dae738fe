import { expect, test } from 'vitest';

import { synonymStems } from '#src/documents/search/synonym-stems.ts';

test.each([
  ['cancel', ['Cancels', 'cancelled', 'cancelling']],
  ['kündigen', ['kündigt', 'gekündigt', 'kündigte', 'Kündigten', 'kündigst']],
  ['Kündigung', ['Kündigungen']],
  ['stornieren', ['storniert', 'stornierte']],
  ['Krankheit', ['Krankheiten']],
  ['Amazon Web Services', ['amazon web service', 'Amazon, web services']],
  ['C++', ['c++']],
  ['.NET', ['.net']],
])('%s is the same as %j', (phrase, others) => {
  expect(others.map((other) => synonymStems(other).join(' '))).toEqual(
    others.map(() => synonymStems(phrase).join(' ')),
  );
});

test.each([
  ['C++', 'C'],
  ['C++', 'C#'],
  ['port', 'porter'],
  ['.NET', 'net'],
  ['2.14', '2.15'],
  ['market', 'Marke'],
])('%s is not the same as %s', (a, b) => {
  expect(synonymStems(a)).not.toEqual(synonymStems(b));
});
