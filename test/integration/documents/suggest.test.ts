import { afterAll, beforeAll, expect, it } from 'vitest';

import { asPushed, CORPUS } from '#test/support/search-corpus.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { openWorkspace, type TestUser } from '#test/support/test-users.ts';

let millrace: TestMillrace;
let admin: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  admin = await openWorkspace(millrace);
  const documents = CORPUS.map((one) => ({ document: asPushed(one) }));
  expect((await call('POST', '/service-api/ingestion/batch', { documents })).status).toBe(200);
  await millrace.settled(admin.key);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown) =>
  millrace.call(method, path, body, { key: admin.key });

const suggest = async (query: string, limit?: number) => {
  const { body, status } = await call('POST', '/search/suggest', { query, limit });
  expect(status).toBe(200);
  return body.suggestions.map(
    ({ kind, text }: { kind: string; text: string }) => `${kind} ${text}`,
  );
};

it.each<[string, string[]]>([
  ['zep', ['word zeppelin', 'title Quarterly zeppelin report']],
  ['quarterly ze', ['word quarterly zeppelin', 'title Quarterly zeppelin report']],
  ['ZEP', ['word zeppelin', 'title Quarterly zeppelin report']],
  ['onboarding checklist', ['title Onboarding checklist']],
  ['отп', ['word отпуск', 'title Отпуск']],
  ['', []],
  ['   ', []],
  ['"\'\\:*&|!', []],
  ['nothing begins so', []],
  // The last word is begun, the others are whole, in any inflection
  ['quarter zep', []],
  ['reports quart', ['word reports quarterly', 'title Quarterly zeppelin report']],
  ['quarterly ', ['title Quarterly zeppelin report']],
  ['zep quarterly', []],
  // Without accents, and with letters that are written as two
  ['koben', ['word københavn', 'title København']],
  ['KØBEN', ['word københavn', 'title København']],
  ['lod', ['word łódź', 'title Łódź']],
  ['ел', ['word ёлка', 'title Ёлка']],
  ['ёл', ['word ёлка', 'title Ёлка']],
  ['vertrag', ['word verträge', 'title Verträge']],
  ['vertraege', ['word verträge', 'title Verträge']],
  // Symbols and versions
  ['C++', ['word C++20', 'title Press C++20']],
  ['c+', ['word C++20', 'title Press C++20']],
  ['press c', ['title Press C++20']],
  ['C#', []],
  ['.ne', []],
  ['2.1', ['word 2.11.3', 'title Release 2.11.3']],
  [
    'release 3.11.',
    [
      'word release 3.11.2',
      'word release 3.11.21',
      'title Release 3.11.2',
      'title Release 3.11.21',
    ],
  ],
  // Marks of the query language
  ['title:zep', ['word title:zeppelin', 'title Quarterly zeppelin report']],
  ['title:', []],
  ['security -draft', ['title Security policy']],
  ['security -dra', ['word security -draft', 'title Security policy']],
  ['-dra', ['word -draft']],
  ['-draft', []],
  [
    '"security pol',
    ['word "security policy', 'title Security policy', 'title Draft of the security policy'],
  ],
  ['"policy secu', []],
  ['"security policy" dra', ['word "security policy" draft', 'title Draft of the security policy']],
  ['“security policy” dra', ['word “security policy” draft', 'title Draft of the security policy']],
  ['"policy security" dra', []],
  ['policy -"draft of"', ['title Security policy']],
  ['time-sh', ['word time-sharing', 'title Time-sharing systems']],
  ['timesh', ['word timesharing', 'title Time-sharing systems']],
  ['休', ['word 休暇', 'title 休暇']],
  ['a b c d e f g h i quarterly zep', []],
])('%s is completed as %j', async (query, expected) => {
  expect(await suggest(query)).toEqual(expected);
});

it('gives no more than the limit, and titles that begin so first', async () => {
  const first = await suggest('release', 3);
  expect(first).toHaveLength(3);
  expect(await suggest('rep')).toContain('title Quarterly zeppelin report');
  expect(await suggest('sec')).toEqual([
    'word security',
    'title Security policy',
    'title Draft of the security policy',
  ]);
});

it('knows a title from when it is indexed until it is deleted', async () => {
  const push = async (title: string) => {
    const document = { id: 'moved', semantic_identifier: title, sections: [{ text: 'Text.' }] };
    await call('POST', '/service-api/ingestion', { document });
    await millrace.settled(admin.key);
  };
  await push('Yggdrasil plan');
  expect(await suggest('ygg')).toEqual(['word yggdrasil', 'title Yggdrasil plan']);
  await push('Straße of .NET 8.0.1');
  expect(await suggest('.ne')).toEqual(['word .NET', 'title Straße of .NET 8.0.1']);
  expect(await suggest('strass')).toEqual(['word straße', 'title Straße of .NET 8.0.1']);
  expect(await suggest('.net 8.')).toEqual(['word .net 8.0.1', 'title Straße of .NET 8.0.1']);
  await push('Bifrost plan');
  expect(await suggest('ygg')).toEqual([]);
  expect(await suggest('bifr')).toContain('title Bifrost plan');
  await call('DELETE', '/service-api/ingestion/moved');
  expect(await suggest('bifr')).toEqual([]);
});
