import { cleanText } from '#src/documents/clean-text.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import type { AcceptedDocument } from '#src/documents/accept-document.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { boundDocument } from './bound-document.ts';
import type { ConnectorDocument, ConnectorPage } from '#src/connectors/source/connector.ts';
import type { PairRow } from './open-pair.ts';
import type { PageOutcome } from './save-page.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';

/** How long a run waits for room in the backlog before it yields its place to another. */
const MAX_BACKLOG_WAIT_MS = 50_000;

type AcceptServices = Pick<ConnectorServices, 'config' | 'documentAcceptor'>;

/** The workspace's backlog stays full: the run continues later, and nothing is lost. */
export class BacklogFull extends SourceUnavailable {}

/**
 * Passes the documents of a page to ingestion, as if they had been pushed. Each ends up in one list of the outcome.
 * @throws BacklogFull, LeaseLost when the pair is being deleted, the signal's reason, or any error that keeps rows
 * from being written
 */
export async function acceptPage(
  services: AcceptServices,
  pair: PairRow,
  page: Pick<
    ConnectorPage<unknown>,
    'documents' | 'unchanged' | 'skipped' | 'failures' | 'removed'
  >,
  options: { signal: AbortSignal; wait: (ms: number, signal: AbortSignal) => Promise<void> },
): Promise<PageOutcome> {
  const outcome: PageOutcome = {
    accepted: [],
    created: 0,
    unchanged: page.unchanged.map(cleanText),
    skipped: [...page.skipped],
    notes: [],
    failures: [...page.failures],
    removed: page.removed.map(cleanText),
    stored: [],
  };
  // All at once, so that they share one statement and one job.
  const bounded = page.documents.map(boundDocument);
  const settled = await Promise.allSettled(
    bounded.map(({ document }) => acceptOne(services, pair, document, options)),
  );
  settled.forEach((result, index) => {
    const one = bounded[index];
    if (!one) return;
    const isTaken = record(outcome, one.document, result);
    if (isTaken) outcome.notes.push(...one.notes);
  });
  return outcome;
}

type Accepted = AcceptedDocument | { skipped: string } | { failed: string };

async function acceptOne(
  services: AcceptServices,
  pair: PairRow,
  document: ConnectorDocument,
  options: Parameters<typeof acceptPage>[3],
): Promise<Accepted> {
  if (document.sections.every(({ text }) => text.trim() === '')) return { skipped: 'no text' };
  const parsed = ingestionItemSchema.safeParse({
    document: {
      id: document.id,
      semantic_identifier: document.semanticIdentifier,
      title: document.title,
      sections: document.sections,
      source: document.source ?? pair.source,
      metadata: document.metadata,
      doc_updated_at: isoTime(document.updatedAt),
      primary_owners: document.primaryOwners,
      secondary_owners: document.secondaryOwners,
    },
    cc_pair_id: pair.id,
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { failed: `${issue?.path.join('.')}: ${issue?.message}` };
  }
  for (let waitedMs = 0; ;) {
    options.signal.throwIfAborted();
    try {
      const incoming = toIncomingDocument(parsed.data, {
        workspaceId: pair.workspace_id,
        writer: null,
        requestId: null,
        maxBytes: services.config.MAX_DOCUMENT_BYTES,
      });
      return await services.documentAcceptor.accept({ ...incoming, needsPair: true });
    } catch (error) {
      if (isOfDocument(error)) return { failed: `The database rejected it: ${error.message}` };
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'PAYLOAD_TOO_LARGE') return { failed: error.message };
      if (error.retryAfterSeconds === null) throw error;
      const retryAfterMs = error.retryAfterSeconds * 1_000;
      waitedMs += retryAfterMs;
      if (waitedMs > MAX_BACKLOG_WAIT_MS) throw new BacklogFull(error.message, { retryAfterMs });
      await options.wait(retryAfterMs, options.signal);
    }
  }
}

/** A source may report an invalid time. */
function isoTime(time: Date | null): string | null {
  return time === null || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** SQLSTATE classes 22, data exception, and 54, program limit exceeded: a retry would fail the same way. */
function isOfDocument(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(22|54)/.test(String(error.code));
}

/**
 * @returns whether ingestion now has the document
 */
function record(
  outcome: PageOutcome,
  document: ConnectorDocument,
  result: PromiseSettledResult<Accepted>,
): boolean {
  if (result.status === 'rejected') throw result.reason;
  const { value } = result;
  if ('documentId' in value && !outcome.removed.includes(value.documentId)) {
    outcome.stored.push(value.documentId);
  }
  if ('skipped' in value) {
    outcome.skipped.push({ documentId: document.id, reason: value.skipped });
    // The text that it had before it became empty must not stay in the index.
    outcome.removed.push(cleanText(document.id));
  } else if ('failed' in value) {
    const link = document.sections[0]?.link ?? null;
    outcome.failures.push({ documentId: document.id, link, entityId: null, reason: value.failed });
  } else if (value.changed) {
    outcome.accepted.push(value.documentId);
    if (!value.alreadyExisted) outcome.created += 1;
  } else {
    outcome.unchanged.push(value.documentId);
  }
  return 'documentId' in value;
}
