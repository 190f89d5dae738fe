import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { takeDocuments } from '#src/documents/claim-documents.ts';
import {
  ingestionItemSchema,
  packDocument,
  type PackedDocument,
  toIncomingDocument,
} from '#src/documents/incoming-document.ts';
import { upsertDocuments } from '#src/documents/upsert-documents.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { externalIdOf, type FilledRows, SOURCE } from './partition-rows.ts';
import { VOCABULARY_SEED } from './search-questions.ts';
import { createDocuments } from './synthetic-documents.ts';

const WORKSPACES = 8;
const DOCUMENTS_PER_WORKSPACE = 128;
export const CHANGED_DOCUMENTS = WORKSPACES * DOCUMENTS_PER_WORKSPACE;
/** As many as the acceptor writes at once. */
const ACCEPTED_AT_ONCE = 128;
const BYTES = 1_300;
const MAX_BYTES = 1_000_000;

interface Claimed {
  token: string;
  ids: DocumentId[];
}

/** New contents of documents that are there, and their way through the states. */
export class DocumentStates {
  readonly #rows: FilledRows;
  readonly #workspaceIds: readonly WorkspaceId[];
  readonly #filled: number;
  readonly #claims = new Map<Database, Claimed[]>();

  /** @param filled how many documents there are */
  constructor(rows: FilledRows, workspaceIds: readonly WorkspaceId[], filled: number) {
    this.#rows = rows;
    this.#workspaceIds = workspaceIds.slice(0, WORKSPACES);
    this.#filled = filled;
  }

  /** @param round another one gives other contents */
  contentsOf(round: number): PackedDocument[] {
    return this.#workspaceIds.flatMap((workspaceId, workspace) => {
      const seed = round * WORKSPACES + workspace + 1;
      const items = createDocuments(DOCUMENTS_PER_WORKSPACE, BYTES, {
        seed,
        vocabularySeed: VOCABULARY_SEED,
      });
      const numbers = this.#rows.documentsOf(workspace, this.#filled, DOCUMENTS_PER_WORKSPACE);
      return numbers.map((number, at) => {
        const item = ingestionItemSchema.parse(items[at]);
        item.document.id = externalIdOf(number);
        item.document.source = SOURCE;
        const context = { workspaceId, writer: null, requestId: null, maxBytes: MAX_BYTES };
        return packDocument(toIncomingDocument(item, context));
      });
    });
  }

  async accept(db: Database, contents: readonly PackedDocument[]): Promise<void> {
    for (let start = 0; start < contents.length; start += ACCEPTED_AT_ONCE) {
      await upsertDocuments(db, contents.slice(start, start + ACCEPTED_AT_ONCE));
    }
  }

  /** @throws when fewer documents wait than were accepted anew */
  async claimAll(db: Database): Promise<void> {
    const claims: Claimed[] = [];
    this.#claims.set(db, claims);
    let claimed = 0;
    const lanes = this.#workspaceIds.map((id) => ({ workspace_id: id, source: SOURCE }));
    while (claimed < CHANGED_DOCUMENTS) {
      const token = randomUUID();
      const { documents } = await db
        .transaction()
        .execute((trx) => takeDocuments(trx, token, lanes, { mayBeLong: false }));
      if (documents.length === 0) {
        throw new Error(`${claimed} of ${CHANGED_DOCUMENTS} documents were claimed.`);
      }
      claimed += documents.length;
      claims.push({ token, ids: documents.map(({ id }) => id) });
    }
  }

  async markAll(db: Database): Promise<void> {
    for (const claim of this.#claims.get(db) ?? []) await markIndexed(db, claim);
  }
}

/** As `lockHeldDocuments` and `markIndexed` of src/documents/replace-chunks.ts. */
async function markIndexed(db: Database, { token, ids }: Claimed): Promise<void> {
  const counts = JSON.stringify(ids.map((id) => ({ id, chunks: 1 })));
  await db.transaction().execute(async (trx) => {
    await sql`
      select id, revision from document
      where id = any(${ids}::bigint[]) and claim_token = ${token} and status = 'indexing'
      order by workspace_id, external_id for update`.execute(trx);
    await sql`
      update document d set status = 'indexed', indexed_revision = revision, chunk_count = x.chunks,
        indexed_at = now(), error = null, claim_token = null, claimed_until = null, next_attempt_at = null,
        hidden_above = null, hidden_ids = null
      from json_to_recordset(${counts}::json) as x(id bigint, chunks int)
      where d.id = x.id`.execute(trx);
  });
}
