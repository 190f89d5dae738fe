import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { encodeDocument } from '#src/api/encode-document.ts';

const document = (...texts: string[]) => ({
  id: 'a "name".md',
  metadata: { author: ['Ann', 'Bo\n'] },
  sections: texts.map((text) => ({ text })),
});

test('a document is the same when it is parsed again, also where a text is cut', async () => {
  // The pieces end in the middle of an emoji.
  const long = `x${'😀'.repeat(1_200_000)}"\\\n\u0001`;
  for (const sent of [document(), document(''), document('a', '"b"\u2028'), document('c', long)]) {
    expect(JSON.parse((await encodeDocument(sent)).toString())).toEqual({ document: sent });
  }
});

test('others have turns while a large document is encoded', async () => {
  let isDone = false;
  let turns = 0;
  const encoding = encodeDocument(document('words '.repeat(1_000_000))).then(() => (isDone = true));
  for (; !isDone; turns += 1) await nextTurn();
  await encoding;
  expect(turns).toBeGreaterThanOrEqual(5);
});
