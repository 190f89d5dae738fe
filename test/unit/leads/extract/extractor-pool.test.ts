import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExtractedPage, ExtractorPool } from '#src/leads/extract/extracted-page.ts';
import { openExtractorPool } from '#src/leads/extract/extractor-pool.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { TaskLimits } from '#src/platform/guarded-processes.ts';

const entry = {
  filename: new URL('../../../fixtures/files/misbehaving-extractor.ts', import.meta.url).href,
  name: 'misbehave',
};
const never = new AbortController().signal;
const open = (limits: Partial<TaskLimits> = {}): ExtractorPool =>
  openExtractorPool({ processes: 1, taskMs: 500, memoryMb: 64, ...limits }, entry);
const extract = (pool: ExtractorPool, html: string, signal = never): Promise<ExtractedPage> =>
  pool.extract({ url: 'https://acme.test/', html, kind: 'html', owner: 'one', signal });

let pool: ExtractorPool;
let real: ExtractorPool;
beforeAll(() => {
  pool = open();
  real = openExtractorPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
});

test('a page that loops loses its process, and the next one is read', async () => {
  const looping = extract(pool, 'hang');
  const next = extract(pool, 'fine');
  await expect(looping).rejects.toThrow(
    new GiveUp('The page was not read within 0.5 s; it is too complex.'),
  );
  await expect(next).resolves.toMatchObject({ title: 'fine' });
});

test('a page that exhausts memory, ends its process or throws fails alone', async () => {
  await using patient = open({ taskMs: 20_000 });
  await expect(extract(patient, 'eat objects')).rejects.toThrow('more than 64 MB');
  await expect(extract(pool, 'exit')).rejects.toThrow('The page crashed its process');
  await expect(extract(pool, 'throw')).rejects.toThrow('out of order');
  await expect(extract(pool, 'fine')).resolves.toMatchObject({ title: 'fine' });
});

test('a process that fails after its page is done affects nothing else', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('uncaughtException', hear);
  await expect(extract(pool, 'late')).resolves.toMatchObject({ title: 'late' });
  // In a separate process, and longer than the other one takes to fail.
  await using other = open();
  await extract(other, 'wait');
  process.off('uncaughtException', hear);
  expect(unheard).toEqual([]);
  await expect(extract(pool, 'fine')).resolves.toMatchObject({ title: 'fine' });
});

test('waiting for a process, or inside one, does not count toward the time of the page', async () => {
  const pages = ['wait', 'wait', 'fine'].map((html) => extract(pool, html));
  await expect(Promise.all(pages)).resolves.toHaveLength(3);
});

test('a process that never starts is given up', async () => {
  const { filename } = entry;
  await using impatient = openExtractorPool({ waitMs: 300 }, { filename, name: 'startLate' });
  await expect(extract(impatient, 'fine')).rejects.toThrow(GiveUp);
});

test('an abort ends the work with its reason, before and after it reaches a process', async () => {
  const stop = new AbortController();
  const working = extract(pool, 'hang', stop.signal);
  const waiting = extract(pool, 'fine', stop.signal);
  stop.abort(new Error('stopped'));
  await Promise.all([working, waiting].map((one) => expect(one).rejects.toThrow('stopped')));
  await expect(extract(pool, 'fine')).resolves.toMatchObject({ title: 'fine' });
});

test('a page of 20 MB is passed to a process only up to the readable size', async () => {
  const { title } = await extract(pool, 'x'.repeat(20 * 1024 * 1024));
  expect(title).toHaveLength(4 * 1024 * 1024);
});

const NAMES = Array.from(
  { length: 20_000 },
  (_, index) => `Jane Doe${index.toString(26).replace(/\d/g, 'q')}`,
);
test.each([
  ['100,000 nested elements', '<div>'.repeat(100_000)],
  ['15,000 nested people', '<div><h3>Jane Doe</h3><p>CEO</p>'.repeat(15_000)],
  ['a line for each of 60,000 people', 'Jane Doe<br>CEO<br>'.repeat(60_000)],
  ['20,000 cards', NAMES.map((name) => `<div><h3>${name}</h3><p>CEO</p></div>`).join('')],
  ['an endless title', 'Jane Doe '.repeat(400_000)],
  ['at signs', 'a@a.'.repeat(1_000_000)],
  ['dots', '.'.repeat(4_000_000)],
  ['digits', '0 '.repeat(2_000_000)],
  ['commas', 'Doe, '.repeat(800_000)],
  ['initials', `<p>${'A.'.repeat(2_000_000)}</p>`],
  ['brackets', '<script type="application/ld+json">'.concat('['.repeat(3_000_000))],
  ['links', '<a href="mailto:jane@acme.test">Jane Doe</a>'.repeat(60_000)],
  ['attributes', `<div ${'class="team name" '.repeat(200_000)}>`],
  ['comments', '<!--'.repeat(1_000_000)],
])('%s are read or refused in time', async (_, html) => {
  const outcome = await extract(real, html).catch((error: unknown) => error);
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(GiveUp);
});

test('pages are read as usual after all of that', async () => {
  const page = await extract(real, '<title>Acme</title><a href="mailto:info@acme.test">Mail</a>');
  expect(page).toMatchObject({ title: 'Acme', cards: [{ emails: ['info@acme.test'] }] });
});
