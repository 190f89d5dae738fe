import { expect, it } from 'vitest';
import { newTurn, withPacket, type Packet } from '#src/console/web/data/answer.ts';
import { forPeople } from '#src/console/web/data/problem.ts';
import { loneValues } from '#src/console/web/parts/lone-values.ts';
import { html } from '#src/console/web/parts/html.ts';
import { countText, durationText, NONE, plural } from '#src/console/web/parts/number.ts';
import { safeAddress } from '#src/console/web/parts/outside-link.ts';
import { csvText } from '#src/console/web/parts/save-csv.ts';
import { table } from '#src/console/web/parts/table.ts';
import { dueText, time } from '#src/console/web/parts/time.ts';

it.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'x', ''])(
  'makes no link of %s',
  (address) => {
    expect(safeAddress(address)).toBeNull();
  },
);

it('makes links of web and mail addresses', () => {
  expect(safeAddress('https://example.com/a b')).toBe('https://example.com/a%20b');
  expect(safeAddress('mailto:ada@example.com')).toBe('mailto:ada@example.com');
});

it('keeps a value of markup as text, and a line break as a space', () => {
  const node = html`<p>
    first ${'<b>second</b>'}
    <i>third</i>
  </p>`;
  expect(JSON.stringify(childrenOf(node))).toContain('"<b>second</b>"');
  expect(childrenOf(node)[0]).toBe(' first ');
});

it('writes a cell that looks like a formula so that no spreadsheet runs it', () => {
  expect(csvText([['=1+1', '@x', 'a"b', 'plain']])).toBe('"\'=1+1","\'@x","a""b","plain"\r\n');
});

it.each([
  ['There is no queue "x". GET /operations/queues lists the queues.', 'There is no queue "x".'],
  ['Wrong. POST /a does it. Try again.', 'Wrong. Try again.'],
  ['Send POST /a instead', 'Send POST /a instead'],
  ['Nothing to GET here.', 'Nothing to GET here.'],
])('shows people no address of the API: %s', (detail, shown) => {
  expect(forPeople(detail)).toBe(shown);
});

it('finds the values of a chart that no line would show', () => {
  expect(loneValues([1, null, 2, null, 3, 4, null, undefined, 0])).toEqual([0, 2, 8]);
  expect(loneValues([])).toEqual([]);
});

it('writes numbers, counts and durations', () => {
  expect(countText(1_234_567)).toBe('1\u202f234\u202f567');
  expect(countText(999)).toBe('999');
  expect([plural(1, 'key'), plural(0, 'key'), plural(2, 'delivery', 'deliveries')]).toEqual([
    '1 key',
    '0 keys',
    '2 deliveries',
  ]);
  expect([0.4, 310, 4_100, 12_000, 240_000, 7_200_000, 200_000_000].map(durationText)).toEqual([
    '0 ms',
    '310 ms',
    '4.1 s',
    '12 s',
    '4 min',
    '2 h',
    '2 d',
  ]);
});

it('says of a time that is past that it is due', () => {
  expect([-36_000, -1_000, 36_000].map(dueText)).toEqual([
    'due 36 s ago',
    'due just now',
    'in 36 s',
  ]);
});

it('marks values of a table that are missing, for a phone to leave out, but not the name of a row', () => {
  const shown = table({
    caption: 'Queues',
    rows: [{ oldest: null }],
    keyOf: () => 'one',
    columns: [
      { name: 'Name', role: 'main', show: () => NONE },
      { name: 'Oldest', label: 'oldest', show: ({ oldest }) => time(oldest) },
      { name: 'Next', label: 'next', show: ({ oldest }) => time(oldest, 'never') },
    ],
  });
  const classes = JSON.stringify(shown).matchAll(/"role":"cell","class":"([^"]*)"/g);
  expect([...classes].map(([, name = '']) => name.trim())).toEqual(['main', 'none', '']);
});

it('builds an answer from its packets: steps, sources once each, citations, the end', () => {
  const packets: Packet['obj'][] = [
    { type: 'search_tool_start', is_internet_search: false },
    { type: 'search_tool_queries_delta', queries: ['honey', 'bees'] },
    { type: 'section_end' },
    { type: 'message_delta', content: 'In July.' },
    { type: 'citation_info', citation_number: 1, document_id: 'handbook' },
    { type: 'message_delta', content: ' [[1]](https://example.com)' },
    { type: 'stop', stop_reason: 'finished' },
  ];
  const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null };
  const turn = packets.reduce(
    (so_far, obj) => withPacket(so_far, { placement, obj }),
    newTurn('When?'),
  );
  expect(turn).toMatchObject({
    text: 'In July. [[1]](https://example.com)',
    steps: [{ what: 'Searches the documents', detail: 'honey · bees', isDone: true }],
    cited: { 1: 'handbook' },
    state: 'done',
  });
});

function childrenOf(node: unknown): unknown[] {
  const { props } = node as { props: { children: unknown[] } };
  return props.children;
}
