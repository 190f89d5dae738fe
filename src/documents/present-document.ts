import { z } from 'zod';
import { DOCUMENT_STATUSES } from '#src/tables/documents.ts';
import type { AcceptedDocument } from './accept-document.ts';
import type { DocumentRecord } from './store.ts';

const timestamp = z.iso.datetime().nullable();
const milliseconds = z.number().nullable();

/** The answer of ingestion for one document, once its row is committed. */
export const acceptedSchema = z
  .object({
    document_id: z.string(),
    already_existed: z.boolean(),
    status: z.enum(DOCUMENT_STATUSES),
    status_url: z.string().describe('Path of the document; ask it for the progress of indexing.'),
  })
  .meta({ id: 'AcceptedDocument' });

export const documentStatusSchema = z
  .object({
    document_id: z.string(),
    semantic_identifier: z.string(),
    source: z.string(),
    link: z.string().nullable(),
    status: z.enum(DOCUMENT_STATUSES),
    revision: z.number().int(),
    indexed_revision: z.number().int().nullable(),
    chunk_count: z.number().int(),
    attempts: z.number().int(),
    boost: z.int().describe('How far it is moved up or down in searches; 0 for most.'),
    hidden: z.boolean().describe('Taken out of searches and answers.'),
    error: z.string().nullable(),
    next_attempt_at: timestamp,
    cc_pair_ids: z.array(z.number().int()),
    created_at: z.iso.datetime(),
    accepted_at: z.iso.datetime(),
    indexing_started_at: timestamp,
    indexed_at: timestamp,
    timings: z.object({
      queued_ms: milliseconds.describe('From acceptance to the start of indexing.'),
      indexing_ms: milliseconds,
      total_ms: milliseconds.describe('From acceptance to searchable.'),
    }),
    status_url: z.string(),
  })
  .meta({ id: 'DocumentStatus' });

export function presentAccepted(accepted: AcceptedDocument): z.input<typeof acceptedSchema> {
  return {
    document_id: accepted.documentId,
    already_existed: accepted.alreadyExisted,
    status: accepted.status,
    status_url: statusUrl(accepted.documentId),
  };
}

export function presentDocument(record: DocumentRecord): z.input<typeof documentStatusSchema> {
  const { accepted_at: accepted, indexing_started_at: started } = record;
  // An edit restarts the clock; until it is indexed, the earlier time is meaningless.
  const indexed = record.status === 'indexed' ? record.indexed_at : null;
  return {
    document_id: record.external_id,
    semantic_identifier: record.semantic_identifier,
    source: record.source,
    link: record.link,
    status: record.status,
    revision: record.revision,
    indexed_revision: record.indexed_revision,
    chunk_count: record.chunk_count,
    attempts: record.attempts,
    boost: record.boost,
    hidden: record.hidden,
    error: record.error,
    next_attempt_at: iso(record.next_attempt_at),
    cc_pair_ids: record.cc_pair_ids,
    created_at: record.created_at.toISOString(),
    accepted_at: accepted.toISOString(),
    indexing_started_at: iso(started),
    indexed_at: iso(record.indexed_at),
    timings: {
      queued_ms: between(accepted, started),
      indexing_ms: between(started, indexed),
      total_ms: between(accepted, indexed),
    },
    status_url: statusUrl(record.external_id),
  };
}

function statusUrl(documentId: string): string {
  return `/service-api/ingestion/${encodeURIComponent(documentId)}`;
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

function between(from: Date | null, to: Date | null): number | null {
  return from && to ? Math.max(0, to.getTime() - from.getTime()) : null;
}
