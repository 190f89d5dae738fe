import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FakeAnswer, makeFolder, type SeenRequest } from './fake-service.ts';

/** An item of a batch request. */
export interface Wire {
  document: {
    id?: string;
    semantic_identifier: string;
    sections: { text: string; link?: string }[];
  };
  cc_pair_id?: number;
}

/** The documents of a batch request. The command built them, so their shape is known. */
export const documentsOf = (request: SeenRequest): Wire[] =>
  (request.body as { documents: Wire[] }).documents;
/** The document's id, which the command always sets. */
export const idOf = (wire: Wire): string => wire.document.id ?? '';

/** Accepts every document of a batch except those for which `refuse` returns an error. */
export const accept = (
  request: SeenRequest,
  refuse: (wire: Wire) => unknown = () => null,
): FakeAnswer => {
  const results = documentsOf(request).map((wire, index) => {
    const error = refuse(wire);
    return error === null
      ? {
          document_id: idOf(wire),
          already_existed: false,
          status: 'accepted',
          status_url: '/',
          index,
        }
      : { ...(error as object), index };
  });
  return { json: { results, accepted: results.length, failed: 0 } };
};

/** Ingestion statistics with that many pending documents. */
export const stats = (pending = 0): FakeAnswer => ({
  json: {
    counts: { accepted: pending, indexing: 0, indexed: 1, failed: 0, deleting: 0 },
    documents_per_second: 1,
    oldest_pending_seconds: pending === 0 ? null : 9999,
    estimated_seconds_to_drain: null,
  },
});

/** Answers everything as a healthy service; `batch` can replace the answer to batches. */
export const service =
  (batch: (request: SeenRequest) => FakeAnswer = accept, failed: unknown[] = []) =>
  (request: SeenRequest): FakeAnswer => {
    if (request.url === '/service-api/ingestion/batch') return batch(request);
    if (request.url === '/service-api/ingestion/stats') return stats();
    return { json: { documents: failed, next_cursor: null } };
  };

/** The documents of each batch sent. */
export const batches = (requests: SeenRequest[]): Wire[][] =>
  requests.filter(({ url }) => url.endsWith('/batch')).map(documentsOf);

/** Creates a folder with these files. */
export function makeTree(files: Record<string, string | Uint8Array>): string {
  const folder = makeFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
