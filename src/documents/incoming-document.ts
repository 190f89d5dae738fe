import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { DocumentMetadata, StoredOwner, StoredSection } from '#src/tables.ts';
import { cleanText } from './clean-text.ts';

/** Longest tag that is stored, in characters of key and value together. */
const MAX_TAG_LENGTH = 255;
const MAX_ID_LENGTH = 2_000;
const MAX_SECTIONS = 100_000;

const text = z.string().transform(cleanText);
const optionalText = text.nullish();
const link = z.string().max(8_000).transform(cleanText).nullish();

const owner = z.object({
  display_name: optionalText,
  first_name: optionalText,
  middle_initial: optionalText,
  last_name: optionalText,
  email: optionalText,
});

const section = z
  .object({ text: text.nullish(), link, image_file_id: optionalText })
  .refine(
    (value) => value.image_file_id != null || (value.text ?? '').trim() !== '',
    'needs text that is not blank, or an image_file_id',
  );

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform((value) => cleanText(String(value)));
const metadata = z
  .record(z.string().transform(cleanText), z.union([scalar, z.array(scalar)]))
  .nullish()
  .transform((value) => value ?? {});

/** IngestionDocument of SPEC.md; what is absent gets its default here, and all text is cleaned. */
export const documentSchema = z
  .object({
    id: z.string().min(1).max(MAX_ID_LENGTH).transform(cleanText).nullish(),
    semantic_identifier: text.refine((value) => value.trim() !== '', 'must not be blank'),
    title: optionalText,
    sections: z
      .array(section)
      .min(1, 'needs at least one section with text or an image')
      .max(MAX_SECTIONS),
    source: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/i, 'must be a slug such as file, web or ingestion_api')
      .nullish()
      .transform((value) => value ?? 'ingestion_api'),
    metadata,
    doc_updated_at: z.iso.datetime({ offset: true, local: true }).nullish(),
    primary_owners: z.array(owner).nullish(),
    secondary_owners: z.array(owner).nullish(),
    chunk_count: z.number().int().nullish(),
    from_ingestion_api: z.boolean().nullish(),
  })
  .meta({ id: 'IngestionDocument' });

/** One item of ingestion: the document and the pair it attaches to. */
export const ingestionItemSchema = z
  .object({ document: documentSchema, cc_pair_id: z.number().int().nullish() })
  .meta({ id: 'IngestionItem' });

export type IngestionItem = z.output<typeof ingestionItemSchema>;

/** A document ready to be written: one row of `document`. */
export interface IncomingDocument {
  workspaceId: WorkspaceId;
  ccPairId: CcPairId | null;
  requestId: string | null;
  externalId: string;
  semanticIdentifier: string;
  title: string | null;
  source: string;
  sections: StoredSection[];
  metadata: DocumentMetadata;
  tags: string[];
  docUpdatedAt: string | null;
  primaryOwners: StoredOwner[];
  secondaryOwners: StoredOwner[];
  /** SHA-256, hex. */
  contentHash: string;
  contentBytes: number;
}

/**
 * Derives what the caller left open: the id, the tags, the content hash.
 * @throws Problem PAYLOAD_TOO_LARGE when the text exceeds `maxBytes`
 */
export function toIncomingDocument(
  item: IngestionItem,
  context: { workspaceId: WorkspaceId; requestId: string | null; maxBytes: number },
): IncomingDocument {
  const { document } = item;
  const content = {
    semanticIdentifier: document.semantic_identifier,
    title: document.title ?? null,
    source: document.source,
    sections: document.sections.map(toStoredSection),
    metadata: document.metadata,
    docUpdatedAt: document.doc_updated_at ? asUtc(document.doc_updated_at) : null,
    primaryOwners: document.primary_owners ?? [],
    secondaryOwners: document.secondary_owners ?? [],
  };
  const canonical = JSON.stringify(content);
  const contentBytes = Buffer.byteLength(canonical);
  if (contentBytes > context.maxBytes) {
    throw new Problem(
      'PAYLOAD_TOO_LARGE',
      `The document has ${contentBytes} bytes; the limit is ${context.maxBytes} (MAX_DOCUMENT_BYTES). Split it into several documents.`,
    );
  }
  return {
    ...content,
    workspaceId: context.workspaceId,
    requestId: context.requestId,
    // 0 and null both mean "no pair"; ids are checked against the workspace when the row is written.
    ccPairId: item.cc_pair_id ? (item.cc_pair_id as CcPairId) : null,
    externalId: document.id ?? derivedId(document.semantic_identifier),
    tags: tagsOf(document.metadata),
    contentHash: createHash('sha256').update(canonical).digest('hex'),
    contentBytes,
  };
}

/** The same minimal payload posted twice gets the same id, so the second post updates the first. */
function derivedId(semanticIdentifier: string): string {
  return `ingestion_api_${encodeURIComponent(semanticIdentifier.replaceAll(' ', '_'))}`;
}

function toStoredSection(value: z.output<typeof section>): StoredSection {
  return { text: value.text ?? '', link: value.link ?? null, image_file_id: value.image_file_id ?? null };
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
