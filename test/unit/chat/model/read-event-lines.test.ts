import { expect, it } from 'vitest';

import { boundedChunks, readEventLines } from '#src/chat/model/read-event-lines.ts';

async function* chunksOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

it('groups the lines that arrive together, and joins a line that arrives in pieces', async () => {
  const groups = await Array.fromAsync(
    readEventLines(chunksOf('data: a\ndata: b\r\nda', 't', 'a: c\r', 'data: d')),
  );
  expect(groups).toEqual([['data: a\n', 'data: b\n'], ['data: c\n'], ['data: d']]);
});

it('reads nothing behind the end of the stream', async () => {
  let isRead = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield* chunksOf('data: a\n', 'data: [DO', 'NE]');
    isRead = true;
  }
  expect(await Array.fromAsync(readEventLines(chunks()))).toEqual([
    ['data: a\n'],
    ['data: [DONE]'],
  ]);
  expect(isRead).toBe(false);
});

it('refuses a body that is too large', async () => {
  const body = new Blob(['abc']).stream();
  await expect(Array.fromAsync(boundedChunks(body, 2))).rejects.toThrow('larger than 2 bytes');
});
