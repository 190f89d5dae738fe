import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { DocumentStatus } from '#src/tables/documents.ts';
import { isPrivateTo, mayAddToPair, mayChangeDocument } from './document-access.ts';
import type { PackedDocument } from './incoming-document.ts';

const MAX_PASSES = 5;

export interface AcceptedRow {
  n: number;
  id: DocumentId;
  status: DocumentStatus;
  already_existed: boolean;
  /** False when the same content is already indexed or waiting to be indexed. */
  changed: boolean;
}

export interface RefusedRow {
  n: number;
  id: null;
  refusal: Refusal;
}

/** Why a row was not written: its required pair is deleted or being deleted, or its writer lacks permission. */
export type Refusal = 'pair gone' | 'pair of others' | 'document of others';

/**
 * Writes documents with distinct ids; returns one row per document, in order. Retries documents hidden by a concurrent
 * writer: the statement neither writes nor sees a row with the same content that was committed after its snapshot.
 * @throws Problem SERVICE_UNAVAILABLE when others keep writing the same documents
 */
export async function upsertDocuments(
  db: Database,
  documents: PackedDocument[],
): Promise<(AcceptedRow | RefusedRow)[]> {
  const rows: (AcceptedRow | RefusedRow)[] = [];
  let missing = documents.map((document, position) => ({ document, position }));
  for (let pass = 0; pass < MAX_PASSES && missing.length > 0; pass += 1) {
    const attempted = missing;
    for (const row of await upsert(
      db,
      attempted.map(({ document }) => document),
    )) {
      const position = attempted[row.n]?.position;
      if (position !== undefined) rows[position] = row;
    }
    missing = attempted.filter(({ position }) => rows[position] === undefined);
  }
  if (missing.length > 0) {
    throw new Problem(
      'SERVICE_UNAVAILABLE',
      'Other requests are writing this document; send it again.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
  return rows;
}

/** Columns of the JSON that `upsert` passes to the statement. */
const INPUT_COLUMNS =
  sql.raw(`n int, "workspaceId" uuid, writer json, "ccPairId" int, "needsPair" boolean, "requestId" text, "externalId" text,
  "semanticIdentifier" text, title text, source text, sections json, metadata json, "shownMetadata" json, tags json,
  "docUpdatedAt" timestamptz, "primaryOwners" json, "secondaryOwners" json,
  "contentHash" text, "contentBytes" int, "indexCost" int`);

/** The writer of an input row; null for a document that Millrace stores by itself. */
const WRITER = {
  userId: sql`(writer->>'userId')::uuid`,
  isMember: sql`writer->>'role' = 'member'`,
};

/** Why a row of `input` is refused; null if it may be written. */
const REFUSAL = sql`case
  when coalesce("needsPair", false) and not exists (select 1 from cc_pair n
    where n.id = "ccPairId" and n.workspace_id = "workspaceId" and n.status <> 'DELETING')
    then 'pair gone'
  when writer is null then null
  when exists (select 1 from cc_pair n where n.id = "ccPairId" and n.workspace_id = "workspaceId"
    and not ${mayAddToPair('n', WRITER)}) then 'pair of others'
  when exists (select 1 from document d where d.workspace_id = x."workspaceId"
    and d.external_id = x."externalId" and not ${mayChangeDocument('d', WRITER)})
    then 'document of others' end`;

/**
 * Attaches each document to the pair that it names; a new document that names none joins the default pair. A document
 * changed through a private pair is then visible to its owner only: it leaves the pairs of others until they send the
 * same content.
 */
const ATTACHED = sql`chosen as (
      select k.id, k.already_existed, k.changed, coalesce(named.id, fallback.id) as pair,
        named.id is not null as is_named, named.created_by as owner,
        coalesce(lower(named.access_type) = 'private', false) as is_private
      from known k
      join cc_pair fallback on fallback.workspace_id = k."workspaceId" and fallback.is_default
      left join cc_pair named on named.id = k."ccPairId" and named.workspace_id = k."workspaceId"
        and named.status <> 'DELETING'
      where k.id is not null
    ), detached as (
      delete from document_cc_pair l using chosen c, cc_pair p
      where l.document_id = c.id and l.cc_pair_id <> c.pair and p.id = l.cc_pair_id
        and (not c.already_existed
          or c.changed and c.is_private and not ${isPrivateTo('p', sql`c.owner`)})
    ), attached as (
      insert into document_cc_pair (document_id, cc_pair_id)
      select id, pair from chosen c where is_named or not already_existed
        or not exists (select 1 from document_cc_pair l where l.document_id = c.id)
      on conflict do nothing
    )`;

async function upsert(
  db: Database,
  documents: PackedDocument[],
): Promise<(AcceptedRow | RefusedRow)[]> {
  const input = inputOf(documents);
  const { rows } = await sql<AcceptedRow | RefusedRow>`
    with input as materialized (
      select *, ${REFUSAL} as refusal from json_to_recordset(${input}::json) as x(${INPUT_COLUMNS})
    ), written as (
      insert into document as d (workspace_id, external_id, semantic_identifier, title, source,
        link, metadata, shown_metadata, tags, doc_updated_at, primary_owners, secondary_owners,
        content_hash, content_bytes, index_cost, status, request_id)
      select "workspaceId", "externalId", "semanticIdentifier", title, source, sections -> 0 ->> 'link', metadata,
        "shownMetadata", array(select json_array_elements_text(tags)), coalesce("docUpdatedAt", now()),
        "primaryOwners", "secondaryOwners", decode("contentHash", 'hex'), "contentBytes", "indexCost",
        'accepted', "requestId"
      from input where refusal is null order by "workspaceId", "externalId"
      on conflict (workspace_id, external_id) do update set
        semantic_identifier = excluded.semantic_identifier, title = excluded.title,
        source = excluded.source, link = excluded.link, sections = null, metadata = excluded.metadata,
        shown_metadata = excluded.shown_metadata, tags = excluded.tags, doc_updated_at = excluded.doc_updated_at,
        primary_owners = excluded.primary_owners, secondary_owners = excluded.secondary_owners,
        content_hash = excluded.content_hash, content_bytes = excluded.content_bytes,
        index_cost = excluded.index_cost,
        request_id = excluded.request_id, revision = d.revision + 1, status = 'accepted',
        attempts = 0, next_attempt_at = null, claim_token = null, claimed_until = null,
        error = null, accepted_at = now(), queued_at = now(), indexing_started_at = null,
        created_at = case when d.status = 'deleting' then now() else d.created_at end,
        boost = case when d.status = 'deleting' then 0 else d.boost end,
        hidden = d.hidden and d.status <> 'deleting',
        chunk_count = case when d.status = 'deleting' then 0 else d.chunk_count end
      where d.content_hash <> excluded.content_hash or d.status in ('failed', 'deleting')
      returning id, workspace_id, external_id, status, created_at <> now() as already_existed
    ), texts as (
      insert into document_text as t (document_id, sections)
      select w.id, i.sections from written w
      join input i on i."workspaceId" = w.workspace_id and i."externalId" = w.external_id
      on conflict (document_id) do update set sections = excluded.sections
    ), known as (
      select n, coalesce(w.id, d.id) as id, coalesce(w.status, d.status) as status,
        coalesce(w.already_existed, true) as already_existed, w.id is not null as changed,
        "workspaceId", "ccPairId"
      from input
      left join written w on w.workspace_id = "workspaceId" and w.external_id = "externalId"
      left join document d on d.workspace_id = "workspaceId" and d.external_id = "externalId"
      where refusal is null
    ), ${ATTACHED}
    select n, id, status, already_existed, changed, null as refusal from known where id is not null
    union all select n, null, null, null, null, refusal from input where refusal is not null`.execute(
    db,
  );
  return rows;
}

/** A JSON array of the documents, each with its position and id appended: the last of two equal fields counts. */
function inputOf(documents: PackedDocument[]): string {
  const objects = documents.map(({ json, externalId }, n) => {
    const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
    return `${text.slice(0, -1)},"n":${n},"externalId":${JSON.stringify(externalId)}}`;
  });
  return `[${objects.join(',')}]`;
}
