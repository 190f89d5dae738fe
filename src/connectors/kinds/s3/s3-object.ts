import { posix } from 'node:path';
import { GiveUp } from '#src/platform/errors.ts';
import type { OutboundResponse } from '#src/platform/http.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import type {
  ConnectorContext,
  ConnectorDocument,
  ConnectorFailure,
  SkippedDocument,
} from '#src/connectors/source/connector.ts';
import { NOT_READABLE, readableName } from '#src/connectors/source/readable-file.ts';
import type { S3Object } from './s3-answers.ts';
import type { S3Requests } from './s3-requests.ts';
import { encodeKey, type S3Store } from './s3-store.ts';

const MAX_OBJECT_BYTES = 20 * 1024 * 1024;

export type ObjectOutcome =
  | { kind: 'document'; document: ConnectorDocument; etag: string }
  | { kind: 'failed'; failure: ConnectorFailure }
  | { kind: 'skipped'; skip: SkippedDocument }
  | { kind: 'gone'; id: string };

/** Whether this connector indexes the object. */
export function isDocument({ key, bytes }: S3Object): boolean {
  return !key.endsWith('/') && bytes > 0 && parserName(key) !== null;
}

/** Downloads and parses one object. Throws only errors that concern the whole bucket. */
export async function readObject(
  object: S3Object,
  store: S3Store,
  requests: S3Requests,
  context: ConnectorContext,
): Promise<ObjectOutcome> {
  const { key } = object;
  const id = store.idOf(key);
  const link = requests.linkOf(key);
  const failed = (reason: string): ObjectOutcome => ({
    kind: 'failed',
    failure: { documentId: id, link, entityId: null, reason },
  });
  const skipped = (reason: string): ObjectOutcome => ({
    kind: 'skipped',
    skip: { documentId: id, reason },
  });
  const name = parserName(key);
  if (key.endsWith('/')) return skipped('a folder');
  if (name === null) return skipped(NOT_READABLE);
  if (object.bytes === 0) return skipped('an empty object');
  if (object.bytes > MAX_OBJECT_BYTES) return failed(tooLarge(key, object.bytes));
  // URL parsing resolves such segments before the request: another object would be requested.
  if (!new URL(link).pathname.endsWith(`/${encodeKey(key)}`)) {
    return failed(
      `${key} has a "." or ".." segment in its key, which HTTP cannot address. Rename it.`,
    );
  }
  const content = await requests.get(key, MAX_OBJECT_BYTES);
  if (content.kind === 'gone') return { kind: 'gone', id };
  if (content.kind === 'archived') return skipped('archived: it can be read once it is restored');
  if (content.kind === 'refused') return failed(content.reason);
  try {
    const parsed = await context.parse({ name, bytes: content.response.bytes });
    return {
      kind: 'document',
      etag: content.response.headers.get('etag') ?? object.etag,
      document: {
        id,
        semanticIdentifier: posix.basename(key),
        title: parsed.title,
        sections: parsed.sections.map((section) => ({
          text: section.text,
          link: `${link}${section.link ?? ''}`,
        })),
        metadata: metadataOf(store.bucket, key, content.response, parsed.metadata),
        updatedAt: object.lastModified,
        primaryOwners: [],
        secondaryOwners: [],
        source: null,
      },
    };
  } catch (error) {
    if (error instanceof GiveUp) return failed(error.message);
    throw error;
  }
}

/** A key without an extension may be text; the parsers detect it by content. */
function parserName(key: string): string | null {
  const name = posix.basename(key);
  return posix.extname(name) === '' ? name : readableName(name, null);
}

/** The uploader's own metadata is sent as `x-amz-meta-…` headers. */
function metadataOf(
  bucket: string,
  key: string,
  response: OutboundResponse,
  ofFile: DocumentMetadata,
): DocumentMetadata {
  const metadata: DocumentMetadata = { ...ofFile, bucket };
  const folder = posix.dirname(key);
  if (folder !== '.' && folder !== '/') metadata['folder'] = folder;
  const type = response.headers.get('content-type');
  if (type) metadata['content_type'] = type;
  for (const [name, value] of response.headers) {
    const own = /^x-(?:amz|goog)-meta-(.+)$/.exec(name)?.[1];
    if (own && value.trim() !== '') metadata[own] = value;
  }
  return metadata;
}

function tooLarge(key: string, bytes: number): string {
  const megabytes = (count: number): number => Math.ceil(count / 1024 / 1024);
  return `${key} has ${megabytes(bytes)} MB; the limit is ${megabytes(MAX_OBJECT_BYTES)} MB. Split it.`;
}
