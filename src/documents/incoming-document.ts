import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { DocumentMetadata, StoredOwner, StoredSection } from '#src/tables/documents.ts';
import { boundedList } from './bounded-list.ts';
import { cleanText } from './clean-text.ts';
import { derivedIds, MAX_ID_BYTES } from './derived-id.ts';
import type { Writer } from './document-access.ts';
import { incomingMetadata } from './incoming-metadata.ts';
import { shownMetadata } from './metadata-limits.ts';

/** Longest tag that is stored, in characters of `key=value`. */
const MAX_TAG_LENGTH = 255;
/** Largest `cc_pair_id` that can exist: a Postgres `integer`. */
const MAX_PAIR_ID = 2_147_483_647;
const MAX_SECTIONS = 100_000;
/** Each section becomes at least one chunk; its rows cost about as much as this many bytes of text. */
const SECTION_COST = 500;
export const MAX_OWNER_FIELD = 1_000;
/** For each of the two lists of owners. */
export const MAX_OWNERS = 200;

const text = z.string().transform(cleanText);
const optionalText = text.nullish();
const link = z.string().max(8_000).transform(cleanText).nullish();

const ownerField = z.string().max(MAX_OWNER_FIELD).transform(cleanText).nullish();
const owner = z.object({
  display_name: ownerField,
  first_name: ownerField,
  middle_initial: ownerField,
  last_name: ownerField,
  email: ownerField,
});
const owners = boundedList(owner, MAX_OWNERS).nullish();

const section = z.object({ text: text.nullish(), link, image_file_id: optionalText });

/** Blank sections are kept, since section indexes refer to the list as sent. */
const hasContent = (value: z.output<typeof section>): boolean =>
  (value.image_file_id ?? '') !== '' || (value.text ?? '').trim() !== '';

const documentId = text
  .refine((id) => id !== '', 'must not be empty')
  .refine(
    (id) => Buffer.byteLength(id) <= MAX_ID_BYTES,
    `must not be longer than ${MAX_ID_BYTES} bytes in UTF-8`,
  );

const updatedAt = z.iso
  .datetime({
    offset: true,
    local: true,
    error: 'must be an ISO 8601 time such as 2026-05-31T08:30:00Z',
  })
  .transform(asUtc)
  .refine(
    (timestamp) => /^(?!0000)\d{4}-/.test(timestamp),
    'must lie in the years 1 to 9999 of UTC',
  );

/** Ids that cannot exist count as unknown ids, which are accepted. */
const pairId = z
  .number()
  .int()
  .nullish()
  .transform((id) => (typeof id === 'number' && id > 0 && id <= MAX_PAIR_ID ? id : null));

/** `IngestionDocument` of the OpenAPI document. Fills in defaults and cleans all text. */
const documentSchema = z
  .object({
    id: documentId.nullish(),
    semantic_identifier: text.refine((value) => value.trim() !== '', 'must not be blank'),
    title: optionalText,
    sections: boundedList(section, MAX_SECTIONS).refine(
      (sections) => sections.some(hasContent),
      'needs at least one section with text that is not blank, or an image_file_id',
    ),
    source: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/i, 'must be a slug such as file, web or ingestion_api')
      .nullish()
      .transform((value) => value ?? 'ingestion_api'),
    metadata: incomingMetadata,
    doc_updated_at: updatedAt.nullish(),
    primary_owners: owners,
    secondary_owners: owners,
    chunk_count: z.number().int().nullish(),
    from_ingestion_api: z.boolean().nullish(),
  })
  .meta({ id: 'IngestionDocument' });

/** One item of ingestion: the document and the pair it attaches to. */
export const ingestionItemSchema = z
  .object({ document: documentSchema, cc_pair_id: pairId })
  .meta({ id: 'IngestionItem' });

export type IngestionItem = z.output<typeof ingestionItemSchema>;

/** A document ready to be written: one row of `document`. */
export interface IncomingDocument {
  workspaceId: WorkspaceId;
  /** The user who sends the document; null if Millrace stores it for a connector. */
  writer: Writer | null;
  ccPairId: CcPairId | null;
  /** If its pair is missing or being deleted, refuse the document instead of adding it to the default pair. */
  needsPair?: boolean;
  requestId: string | null;
  externalId: string;
  semanticIdentifier: string;
  title: string | null;
  source: string;
  sections: StoredSection[];
  metadata: DocumentMetadata;
  /** The part of the metadata that hits show; null if they show all of it. */
  shownMetadata: DocumentMetadata | null;
  tags: string[];
  docUpdatedAt: string | null;
  primaryOwners: StoredOwner[];
  secondaryOwners: StoredOwner[];
  /** SHA-256, hex. */
  contentHash: string;
  contentBytes: number;
  /** Cost of indexing, in bytes of text. */
  indexCost: number;
}

export interface IncomingContext {
  workspaceId: WorkspaceId;
  writer: Writer | null;
  requestId: string | null;
  maxBytes: number;
}

/** A document as sent to the database: its JSON, and the fields needed before it is written. */
export interface PackedDocument {
  externalId: string;
  workspaceId: WorkspaceId;
  ccPairId: CcPairId | null;
  requestId: string | null;
  contentBytes: number;
  /** The IncomingDocument as a JSON object, in UTF-8. The `externalId` above takes precedence over the one in it. */
  json: Uint8Array<ArrayBuffer>;
}

export function packDocument(document: IncomingDocument): PackedDocument {
  const { externalId, workspaceId, ccPairId, requestId, contentBytes } = document;
  const json = new TextEncoder().encode(JSON.stringify(document));
  return { externalId, workspaceId, ccPairId, requestId, contentBytes, json };
}

/**
 * Adds what is derived from the content: a missing id, the tags, the content hash.
 * @throws Problem PAYLOAD_TOO_LARGE when the text exceeds `maxBytes`
 */
export function toIncomingDocument(
  item: IngestionItem,
  context: IncomingContext,
): IncomingDocument {
  const { document } = item;
  const content = {
    semanticIdentifier: document.semantic_identifier,
    title: document.title ?? null,
    source: document.source,
    sections: document.sections.map((section) => toStoredSection(section, context.writer)),
    metadata: document.metadata,
    docUpdatedAt: document.doc_updated_at ?? null,
    primaryOwners: document.primary_owners ?? [],
    secondaryOwners: document.secondary_owners ?? [],
  };
  const canonical = JSON.stringify(content);
  const contentBytes = textBytes(content);
  if (contentBytes > context.maxBytes) {
    throw new Problem(
      'PAYLOAD_TOO_LARGE',
      `The document has ${contentBytes} bytes of text; the limit is ${context.maxBytes} (MAX_DOCUMENT_BYTES). Split it into several documents.`,
    );
  }
  return {
    ...content,
    workspaceId: context.workspaceId,
    writer: context.writer,
    requestId: context.requestId,
    // Writing the row checks that the workspace has this pair.
    ccPairId: item.cc_pair_id as CcPairId | null,
    externalId: document.id ?? derivedIds(document.semantic_identifier).usual,
    shownMetadata: shownMetadata(document.metadata),
    tags: tagsOf(document.metadata),
    contentHash: createHash('sha256').update(canonical).digest('hex'),
    contentBytes,
    indexCost: contentBytes + SECTION_COST * document.sections.length,
  };
}

/** UTF-8 bytes of all text, without JSON escapes. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, part) => sum + textBytes(part), 0);
}

/** Records the user who referred to the image: only an image that this user uploaded may be published. */
function toStoredSection(value: z.output<typeof section>, writer: Writer | null): StoredSection {
  const hasImage = (value.image_file_id ?? '') !== '';
  return {
    text: value.text ?? '',
    link: value.link ?? null,
    image_file_id: value.image_file_id ?? null,
    ...(hasImage && writer !== null && { image_user_id: writer.userId }),
  };
}

function tagsOf(values: DocumentMetadata): string[] {
  return Object.entries(values)
    .flatMap(([key, value]) => [value].flat().map((one) => `${key}=${one}`))
    .filter((tag) => tag.length <= MAX_TAG_LENGTH);
}

/** A timestamp without an offset is UTC. */
function asUtc(timestamp: string): string {
  const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`;
  return new Date(zoned).toISOString();
}
