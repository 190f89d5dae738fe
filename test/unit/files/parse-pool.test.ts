import { afterAll, beforeAll, expect, test } from 'vitest';
import { MEMORY_EATERS } from '#test/fixtures/files/eat-memory.ts';
import type { FileToParse } from '#src/files/parsed-file.ts';
import { openParserPool, type ParserLimits, type ParserPool } from '#src/files/parser-pool.ts';
import type { TaskOptions } from '#src/platform/guarded-processes.ts';

const entry = {
  filename: new URL('../../fixtures/files/misbehaving-parser.ts', import.meta.url).href,
  name: 'misbehave',
};
const never = new AbortController().signal;
const open = (limits: Partial<ParserLimits>): ParserPool =>
  openParserPool({ processes: 1, ...limits }, entry);
const file = (name: string): FileToParse & TaskOptions => ({
  name,
  bytes: new Uint8Array(1),
  owner: 'one',
  signal: never,
});

let pool: ParserPool;
let hasty: ParserPool;
beforeAll(() => {
  pool = open({ taskMs: 60_000, memoryMb: 64 });
  hasty = open({ taskMs: 1_500 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await hasty[Symbol.asyncDispose]();
});

test('a file that hangs its process fails alone, and the next one is parsed', async () => {
  const hanging = hasty.parse(file('hang'));
  const next = hasty.parse(file('fine'));
  await expect(hanging).rejects.toThrow('hang was not parsed within 1.5 s');
  await expect(next).resolves.toMatchObject({ title: 'fine' });
});

test.each(MEMORY_EATERS)('a file that exhausts memory (%s) fails alone', async (way) => {
  await expect(pool.parse(file(way))).rejects.toThrow(`${way} needs more than 64 MB to be parsed`);
  await expect(pool.parse(file('fine'))).resolves.toMatchObject({ title: 'fine' });
});

test('a file that ends its process fails alone', async () => {
  await expect(pool.parse(file('exit'))).rejects.toThrow('exit ended its parser process');
  await expect(pool.parse(file('fine'))).resolves.toMatchObject({ title: 'fine' });
});

test('a process that fails after its file is done affects nothing else', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('uncaughtException', hear);
  await expect(pool.parse(file('late'))).resolves.toMatchObject({ title: 'late' });
  // In a separate process, and longer than the other one takes to fail.
  await using other = open({});
  await other.parse(file('slow'));
  process.off('uncaughtException', hear);
  expect(unheard).toEqual([]);
  await expect(pool.parse(file('fine'))).resolves.toMatchObject({ title: 'fine' });
});

test('waiting for a process does not count toward the time of the file', async () => {
  const slow = ['slow 1', 'slow 2', 'slow 3'].map((name) => hasty.parse(file(name)));
  await expect(Promise.all(slow)).resolves.toHaveLength(3);
});

test('a file above the size limit is refused before it reaches a process', async () => {
  await using small = open({ maxFileBytes: 10 });
  const large = { name: 'large', bytes: new Uint8Array(11), owner: 'one', signal: never };
  await expect(small.parse(large)).rejects.toThrow('large has 1 MB; the limit is 1 MB');
});

test('an abort ends the parse with its reason', async () => {
  const stop = new AbortController();
  const parsing = pool.parse({ ...file('hang'), signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(parsing).rejects.toThrow('stopped');
});

test('the real process returns the reason for a bad file and the text of a good one', async () => {
  await using real = openParserPool({ processes: 1 });
  const bytes = Buffer.from('# Title\n\nText');
  await expect(
    real.parse({ name: 'a.md', bytes, owner: 'one', signal: never }),
  ).resolves.toMatchObject({
    title: 'Title',
  });
  await expect(real.parse({ name: 'a.docx', bytes, owner: 'one', signal: never })).rejects.toThrow(
    'not a DOCX file',
  );
});
