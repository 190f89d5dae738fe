import { describe, expect, it } from 'vitest';
import { ingestionItemSchema } from '#src/documents/incoming-document.ts';
import { MAX_VALUES, readDocuments } from '#src/documents/read-documents.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { parsePart } from '#src/platform/parse-part.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const KEYS = 600_000;
const CONTEXT = {
  workspaceId: '00000000-0000-4000-8000-000000000000' as WorkspaceId,
  writer: null,
  requestId: null,
  maxBytes: 20_000_000,
};
const REQUIRED = { semantic_identifier: 'A title', sections: [{ text: 'Some text' }] };

function withManyKeys(): { text: string; bytes: Uint8Array } {
  const keys = Array.from({ length: KEYS }, (_, n) => `"key-${n}":"v"`).join(',');
  const required = JSON.stringify(REQUIRED).slice(1, -1);
  const text = `{"document":{${required},"metadata":{${keys}}}}`;
  return { text, bytes: Buffer.from(text) };
}

/** The list or object, and how many of its entries were read. */
function watched<T extends object>(target: T): { value: T; read: () => number } {
  let reads = 0;
  const value = new Proxy(target, {
    get(from, key) {
      if (typeof key === 'string' && Object.hasOwn(from, key) && key !== 'length') reads += 1;
      return Reflect.get(from, key) as unknown;
    },
  });
  return { value, read: () => reads };
}

describe('a document with far too much', () => {
  it.each([
    [
      'metadata keys',
      watched(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 'v']))),
      'metadata',
      'body.document.metadata: has 20000 keys; the limit is 1000',
    ],
    [
      'sections',
      watched(Array.from({ length: 100_001 }, () => ({ text: 'a' }))),
      'sections',
      'body.document.sections: Too big: expected array to have <=100000 items',
    ],
    [
      'owners',
      watched(Array.from({ length: 10_000 }, () => ({ email: 'a@b.example' }))),
      'primary_owners',
      'body.document.primary_owners: Too big: expected array to have <=200 items',
    ],
  ])('of %s is refused before any of them is read', (_, { value, read }, field, message) => {
    const item = { document: { ...REQUIRED, [field]: value } };
    expect(() => parsePart('body', ingestionItemSchema, item)).toThrow(message);
    expect(read()).toBe(0);
  });

  it('of values in one metadata key is refused before the values are read', () => {
    const { value, read } = watched(Array.from({ length: 5_000 }, () => 'v'));
    const item = { document: { ...REQUIRED, metadata: { many: value } } };
    expect(() => parsePart('body', ingestionItemSchema, item)).toThrow(
      'body.document.metadata: has 5000 values in "many"; the limit is 1000',
    );
    expect(read()).toBe(0);
  });

  it('of metadata keys costs little more than parsing its JSON', () => {
    const { text, bytes } = withManyKeys();
    const parsing = cpuMsOf(() => JSON.parse(text));
    const refusing = cpuMsOf(() => {
      const [item] = readDocuments(bytes, 'item', CONTEXT);
      expect(item).toMatchObject({
        refused: { message: `body.document.metadata: has ${KEYS} keys; the limit is 1000` },
      });
    });
    expect(refusing).toBeLessThan(parsing * 3 + 200);
  });

  it('of values is refused before its JSON is parsed', () => {
    // Not valid JSON: only the values are counted.
    const bytes = Buffer.from(`[${'1,'.repeat(MAX_VALUES)}`);
    expect(() => readDocuments(bytes, 'batch', CONTEXT)).toThrow(`more than ${MAX_VALUES} values`);
  });
});

it('metadata keeps text, numbers and truth values, alone and in lists, as text', () => {
  const metadata = { a: 'x', 'n\0ul': 1.5, c: true, d: ['y', 2, false] };
  const { document } = ingestionItemSchema.parse({ document: { ...REQUIRED, metadata } });
  expect(Object.entries(document.metadata)).toEqual([
    ['a', 'x'],
    ['nul', '1.5'],
    ['c', 'true'],
    ['d', ['y', '2', 'false']],
  ]);
});

it('metadata of another kind is refused, naming the key', () => {
  const item = { document: { ...REQUIRED, metadata: { a: 'x', b: { c: 1 }, d: ['y', null] } } };
  expect(() => parsePart('body', ingestionItemSchema, item)).toThrow(
    'body.document.metadata.b: Invalid input; body.document.metadata.d[1]: Invalid input',
  );
});
