import { expect, it } from 'vitest';
import {
  type IncomingDocument,
  ingestionItemSchema,
  toIncomingDocument,
} from '#src/documents/incoming-document.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';

const MINIMAL = { semantic_identifier: 'A title', sections: [{ text: 'Some text' }] };

function incoming(document: object, rest: object = {}, maxBytes = 1_000_000): IncomingDocument {
  const item = ingestionItemSchema.parse({ document: { ...MINIMAL, ...document }, ...rest });
  return toIncomingDocument(item, {
    workspaceId: '00000000-0000-4000-8000-000000000000' as WorkspaceId,
    writer: null,
    requestId: null,
    maxBytes,
  });
}

it('an incoming document keeps its exact id, or gets one derived from its title', () => {
  expect(incoming({ id: 'a b/c?%20' }).externalId).toBe('a b/c?%20');
  expect(incoming({}).externalId).toBe('ingestion_api_A_title');
  expect(incoming({ id: null }).externalId).toBe('ingestion_api_A_title');
});

it('an incoming document defaults to empty metadata, source ingestion_api and no pair', () => {
  expect(incoming({})).toMatchObject({
    metadata: {},
    source: 'ingestion_api',
    ccPairId: null,
    tags: [],
  });
  expect(incoming({}, { cc_pair_id: 0 }).ccPairId).toBeNull();
});

it('the hash covers only what is indexed or shown', () => {
  const hash = (document: object) => incoming(document).contentHash;
  expect(hash({ chunk_count: 3, from_ingestion_api: true })).toBe(hash({}));
  for (const change of [
    { title: 'other' },
    { metadata: { a: 'b' } },
    { sections: [{ text: 'Some text.' }] },
    { sections: [{ text: 'Some text', link: 'https://x.example' }] },
    { doc_updated_at: '2024-01-01T00:00:00Z' },
    { primary_owners: [{ email: 'a@b.example' }] },
  ]) {
    expect(hash(change), JSON.stringify(change)).not.toBe(hash({}));
  }
});

it('each metadata value becomes a tag, unless it is too long', () => {
  const { tags, metadata } = incoming({ metadata: { k: ['a', 'b'], n: 5, long: 'x'.repeat(300) } });
  expect(tags).toEqual(['k=a', 'k=b', 'n=5']);
  expect(metadata['n']).toBe('5');
});

it('a timestamp without an offset is read as UTC', () => {
  expect(incoming({ doc_updated_at: '2024-03-01T10:00:00' }).docUpdatedAt).toBe(
    '2024-03-01T10:00:00.000Z',
  );
  expect(incoming({ doc_updated_at: '2024-03-01T10:00:00+02:00' }).docUpdatedAt).toBe(
    '2024-03-01T08:00:00.000Z',
  );
});

it('an image without text is accepted, as are blank sections beside one with content', () => {
  expect(incoming({ sections: [{ image_file_id: 'f1' }] }).sections[0]).toEqual({
    text: '',
    link: null,
    image_file_id: 'f1',
  });
  expect(incoming({ sections: [{ text: '' }, { text: 'x' }, {}] }).sections).toHaveLength(3);
  for (const sections of [[], [{}], [{ text: ' \n' }], [{ text: '', image_file_id: '' }]]) {
    expect(() => incoming({ sections })).toThrow(/section|text/);
  }
});

it('a document above the limit is refused with 413, naming the limit', () => {
  try {
    incoming({ sections: [{ text: 'x'.repeat(2_000) }] }, {}, 1_000);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(String(error)).toContain('1000');
  }
});
