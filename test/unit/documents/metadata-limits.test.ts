import { describe, expect, it } from 'vitest';
import { boundDocument, METADATA_CUT, OWNERS_CUT } from '#src/connectors/runs/bound-document.ts';
import { ingestionItemSchema } from '#src/documents/incoming-document.ts';
import { cutMetadata, metadataExcess, shownMetadata } from '#src/documents/metadata-limits.ts';

const keys = (count: number, value: string | string[] = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, value]));

function refusal(document: object): string | undefined {
  const minimal = { semantic_identifier: 'A title', sections: [{ text: 'Some text' }] };
  const parsed = ingestionItemSchema.safeParse({ document: { ...minimal, ...document } });
  const [issue] = parsed.error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

describe('metadata of a pushed document', () => {
  it.each([
    ['1,001 keys', keys(1_001), /has 1001 keys; the limit is 1000/],
    ['a key of 256 characters', { ['k'.repeat(256)]: 'v' }, /a key of 256 char.*limit is 255/],
    ['a list of 1,001 values', { list: Array(1_001).fill('v') }, /1001 values in "list"; .* 1000/],
    ['more than 256 KB', { big: 'é'.repeat(131_073) }, /has 262156 bytes.*limit is 262144/],
    ['many small values', keys(1_000, 'v'.repeat(255)), /bytes of JSON/],
  ])('is refused with %s', (_, metadata, sentence) => {
    expect(refusal({ metadata })).toMatch(sentence);
    expect(refusal({ metadata })).toMatch(/^document\.metadata: /);
  });

  it('is accepted up to the limits', () => {
    const full = { ...keys(999, 'v'.repeat(200)), ['k'.repeat(255)]: Array(1_000).fill('v') };
    expect(refusal({ metadata: full })).toBeUndefined();
  });

  it('limits the number of owners and the length of their names', () => {
    expect(refusal({ primary_owners: Array(201).fill({}) })).toMatch(/primary_owners: .*200/);
    expect(refusal({ secondary_owners: [{ email: 'x'.repeat(1_001) }] })).toMatch(
      /secondary_owners\.0\.email: .*1000/,
    );
  });
});

describe('a document found by a connector', () => {
  const found = {
    id: 'x',
    semanticIdentifier: 'x',
    title: null,
    sections: [{ text: 'Text', link: null }],
    metadata: { one: 'v' },
    updatedAt: null,
    primaryOwners: [],
    secondaryOwners: [],
    source: null,
  };

  it('stays unchanged within the limits', () => {
    expect(boundDocument(found)).toEqual({ document: found, notes: [] });
  });

  it('loses what exceeds the limits, with a note', () => {
    const { document, notes } = boundDocument({
      ...found,
      metadata: { long: 'x'.repeat(300_000), ...keys(5_000), list: [] },
      primaryOwners: Array(300).fill({ display_name: 'n'.repeat(5_000) }),
    });
    expect(notes).toEqual([METADATA_CUT, OWNERS_CUT]);
    expect(Object.keys(document.metadata).slice(0, 2)).toEqual(['key-0', 'key-1']);
    expect(Object.keys(document.metadata)).toHaveLength(1_000);
    expect(metadataExcess(document.metadata)).toBeNull();
    expect(document.primaryOwners).toHaveLength(200);
    expect(document.primaryOwners[0]).toEqual({ display_name: 'n'.repeat(1_000) });
  });
});

describe('displayed metadata', () => {
  it('is complete when it is small', () => {
    expect(shownMetadata(keys(50, 'x'.repeat(100)))).toBeNull();
  });

  it('is otherwise its beginning, without long values, in at most 8 KB', () => {
    const shown = shownMetadata({ long: 'x'.repeat(9_000), ...keys(1_000, ['é', 'è']) }) ?? {};
    expect(Object.keys(shown)[0]).toBe('key-0');
    expect(Object.keys(shown)).toHaveLength(100);
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThanOrEqual(8_192);
    const few = shownMetadata(keys(1_000, 'x'.repeat(1_000))) ?? {};
    expect(Object.keys(few)).toHaveLength(8);
  });

  it('treats __proto__ like any other key', () => {
    const odd = JSON.parse(`{"__proto__": "v", "long": "${'x'.repeat(9_000)}"}`);
    expect(Object.entries(shownMetadata(odd) ?? {})).toEqual([['__proto__', 'v']]);
    expect(Object.entries(cutMetadata(odd))).toHaveLength(2);
  });
});
