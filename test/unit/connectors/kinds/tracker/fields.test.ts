import { expect, test } from 'vitest';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { documentsOf, fetchFixtureAgain, pollFixture } from '#test/support/drive-connector.ts';

function field(
  number: number,
  name: string,
  type: string,
  items?: string,
): Record<string, unknown> {
  return { id: `customfield_${number}`, name, custom: true, schema: { type, items } };
}

const FIELDS = [
  { id: 'summary', name: 'Summary', custom: false, schema: { type: 'string' } },
  field(10_005, 'Steps to reproduce', 'string'),
  field(10_001, 'Customer', 'option'),
  field(10_002, 'Platforms', 'array', 'option'),
  field(10_003, 'Place', 'option-with-child'),
  field(10_004, 'Tags', 'array', 'string'),
  field(10_006, 'Rank', 'any'),
  field(10_007, 'Points', 'number'),
  field(10_008, 'Empty', 'string'),
  field(10_009, 'Of an app', 'string'),
  { name: 'A field of an odd shape' },
];

function fill({ store }: TrackerFixture, steps: unknown): void {
  store.fields = FIELDS;
  Object.assign(store.get('issue 1').fields, {
    customfield_10001: { value: 'Acme', id: '1' },
    customfield_10002: [{ value: 'Linux' }, { value: 'macOS' }],
    customfield_10003: { value: 'Europe', child: { value: 'Berlin' } },
    customfield_10004: ['red', 'blue'],
    customfield_10005: steps,
    customfield_10006: '0|i0001:',
    customfield_10007: 8,
    customfield_10008: null,
    customfield_10009: { of: 'another shape' },
    attachment: [{ filename: 'trace.log' }, { filename: 'screen.png' }, { filename: 'trace.log' }],
  });
}

const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });

test.each([
  ['Cloud', { type: 'doc', version: 1, content: [paragraph('Open it.'), paragraph('Close it.')] }],
  ['Server', 'Open it.\n\nClose it.'],
] as const)(
  '%s: text of custom fields and names of attachments are read',
  async (deployment, steps) => {
    await using fixture = await startFixture({ deployment });
    fill(fixture, steps);
    const [first, second] = documentsOf(await pollFixture(fixture));
    expect(first?.sections.slice(1).map(({ text }) => text)).toEqual([
      [
        'Customer: Acme',
        'Platforms: Linux, macOS',
        'Place: Europe – Berlin',
        'Tags: red, blue',
        'Steps to reproduce:\n\nOpen it.\n\nClose it.',
      ].join('\n\n'),
      'Attachments: trace.log, screen.png',
    ]);
    expect(first?.metadata['attachments']).toEqual(['trace.log', 'screen.png']);
    expect(second?.sections).toHaveLength(1);
    const again = await fetchFixtureAgain(fixture, [first?.id ?? '']);
    expect(documentsOf(again)[0]?.sections).toEqual(first?.sections);
  },
);

test('the number of requested fields and the text of each are limited', async () => {
  await using fixture = await startFixture();
  fixture.store.fields = Array.from({ length: 300 }, (_, index) =>
    field(20_000 + index, `Field ${index}`, 'string'),
  );
  fixture.store.get('issue 1').fields['customfield_20000'] = 'word '.repeat(100_000);
  const [first] = documentsOf(await pollFixture(fixture));
  expect(first?.sections[1]?.text.length).toBeLessThan(21_000);
  const search = fixture.server.requests.find(({ url }) => url.pathname.endsWith('/search/jql'));
  expect(search?.body.match(/customfield_/g)).toHaveLength(100);
});

test('an account that may not list the fields reads issues without them', async () => {
  await using fixture = await startFixture();
  fill(fixture, null);
  fixture.server.fault = ({ url }) =>
    url.pathname.endsWith('/field') ? { kind: 'status', status: 403 } : null;
  expect(documentsOf(await pollFixture(fixture))).toHaveLength(8);
});
