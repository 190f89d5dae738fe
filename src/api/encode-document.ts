import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters encoded at a time: some 10 ms. */
const PIECE = 1_000_000;

interface FileDocument {
  sections: readonly { text: string }[];
}

/**
 * `{"document": …}` as JSON, in turns of the event loop: `JSON.stringify` of a file's 20 MB would hold it for up to
 * 0.2 s.
 */
export async function encodeDocument({
  sections,
  ...fields
}: FileDocument & Record<string, unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let encoded = 0;
  const add = async (json: string): Promise<void> => {
    parts.push(Buffer.from(json));
    encoded += json.length;
    if (encoded < PIECE) return;
    encoded = 0;
    await nextTurn();
  };
  await add(`{"document":${JSON.stringify(fields).slice(0, -1)},"sections":[`);
  for (const [index, { text }] of sections.entries()) {
    await add(index === 0 ? '{"text":"' : ',{"text":"');
    for (let from = 0; from < text.length; from += PIECE) {
      // A pair of surrogates that is cut is escaped, and is a pair again when it is parsed.
      await add(JSON.stringify(text.slice(from, from + PIECE)).slice(1, -1));
    }
    await add('"}');
  }
  await add(']}}');
  return Buffer.concat(parts);
}
