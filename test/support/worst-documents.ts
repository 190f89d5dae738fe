import type { WorstRequest } from './worst-requests.ts';

const WORDS =
  'harbour tide barnacle the of lantern rope a mooring keel ballast with anchor capstan ';
const NDJSON = 'application/x-ndjson';

/** The most expensive valid documents, and some invalid ones. */
export function worstDocuments(key: string, maxBytes: number): WorstRequest[] {
  const text = (bytes: number) => WORDS.repeat(Math.ceil(bytes / WORDS.length)).slice(0, bytes);
  const item = (id: string, rest: object) => ({
    document: { id, semantic_identifier: id, sections: [{ text: text(100) }], ...rest },
  });
  const keys = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`key-${n}`, value]));
  const many = (count: number, rest: (n: number) => object) =>
    Array.from({ length: count }, (_, n) => item(`worst-${count}-${n}`, rest(n)));
  const short = () => ({ sections: [{ text: text(300) }] });
  const post = (shape: string, body: () => object): WorstRequest =>
    request('POST /service-api/ingestion', shape, 'application/json', key, () =>
      JSON.stringify(body()),
    );
  const batch = (shape: string, documents: () => object[]): WorstRequest =>
    request('POST /service-api/ingestion/batch', shape, 'application/json', key, () =>
      JSON.stringify({ documents: documents() }),
    );
  const lines = (shape: string, documents: () => object[]): WorstRequest =>
    request('POST /service-api/ingestion/batch', shape, NDJSON, key, () =>
      documents()
        .map((one) => JSON.stringify(one))
        .join('\n'),
    );
  const share = Math.floor(maxBytes / 1_000);
  return [
    post('the longest text', () =>
      item('longest', { sections: [{ text: text(maxBytes - 1_000) }] }),
    ),
    post('the most sections', () =>
      item('sections', {
        sections: Array(100_000).fill({ text: text(Math.min(190, maxBytes / 100_100 - 1)) }),
      }),
    ),
    post('the longest title', () => item('title', { semantic_identifier: text(maxBytes - 1_000) })),
    post('the longest text in ideographs', () =>
      item('ideographs', { sections: [{ text: '字典海港灯'.repeat(Math.floor(maxBytes / 16)) }] }),
    ),
    post('600,000 metadata keys', () => item('keys', { metadata: keys(600_000, 'v') })),
    post('the most metadata', () => item('metadata', { metadata: keys(1_000, 'v'.repeat(200)) })),
    batch('1,000 documents', () => many(1_000, short)),
    batch('1,000 documents that fill it', () =>
      many(1_000, () => ({ sections: [{ text: text(share - 200) }] })),
    ),
    batch('1,000 documents full of metadata', () =>
      many(1_000, () => ({ metadata: keys(Math.min(1_000, Math.floor(share / 20)), 'v') })),
    ),
    lines('10,000 lines', () => many(10_000, short)),
    lines('lines of 2 MB', () => many(5, () => ({ sections: [{ text: text(2_000_000) }] }))),
  ];
}

function request(
  operation: string,
  shape: string,
  type: string,
  key: string,
  write: () => string,
): WorstRequest {
  return {
    operation,
    shape,
    build: () => ({
      method: 'POST',
      path: operation.slice('POST '.length),
      headers: ['Authorization', `Bearer ${key}`, 'Content-Type', type],
      body: Buffer.from(write()),
    }),
  };
}
