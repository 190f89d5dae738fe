import { sql } from 'kysely';
import { isVisibleTo } from '#src/documents/document-access.ts';
import { SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import { titleQuery } from '#src/documents/title-words.ts';
import { tokenizeWords } from '#src/documents/tokenize.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

/** What somebody looks for, in the forms in which rows are looked up. */
export interface Sought {
  workspaceId: WorkspaceId;
  /** Whose eyes it is seen with. */
  userId: UserId;
  text: string;
  /** The text in lower case; null when it is too short to be looked for inside of names. */
  part: string | null;
  /** The text as a number of a row. */
  number: number | null;
  uuid: string | null;
}

/** A row as found. `page_id` is the row whose page shows it. */
export interface FoundRow {
  id: string;
  page_id: string;
  title: string;
  state: string | null;
  detail: string | null;
  at: Date;
}

/** Of one kind. */
export const MAX_OF_KIND = 10;
/** Rows of a workspace whose names are compared, newest first: no statement reads more, however large the tables are. */
const MAX_COMPARED = sql.lit(1_000);
const MAX_TITLES = 200;
const MAX_WORDS = 10;
const MIN_PART = 2;
const NUMBER = /^\d{1,15}$/;

export function soughtOf(text: string, reader: { workspaceId: WorkspaceId; userId: UserId }) {
  return {
    ...reader,
    text,
    part: text.length < MIN_PART ? null : text.toLowerCase(),
    number: NUMBER.test(text) ? Number(text) : null,
    uuid: isUuid(text) ? text.toLowerCase() : null,
  };
}

/** Documents that the reader may see: by id, by words of the title; those that are not indexed by a part of it. */
export async function findDocuments(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { workspaceId, userId, text, part, number } = sought;
  const words = part === null ? [] : tokenizeWords(part).slice(0, MAX_WORDS);
  const query = titleQuery(workspaceId, words, { isPrefix: true });
  const { rows } = await sql<FoundRow>`
    select d.external_id as id, d.external_id as page_id, ${SHOWN_TITLE} as title, d.status as state,
      d.source as detail, d.accepted_at as at
    from (
      (select id from document where workspace_id = ${workspaceId} and external_id = ${text})
      union (select id from document where id = ${number}::bigint and workspace_id = ${workspaceId})
      union (select t.document_id from document_title t join document o on o.id = t.document_id
        where t.words @@ ${query}::tsquery and t.workspace_id = ${workspaceId}
          and ${isVisibleTo('o', userId)} limit ${MAX_TITLES})
      union (select n.id from unnest(array['accepted', 'indexing', 'failed']) as waiting(status)
        cross join lateral (select o.id, o.semantic_identifier from document o
          where o.workspace_id = ${workspaceId} and o.status = waiting.status
            and ${isVisibleTo('o', userId)} order by o.id desc limit ${MAX_TITLES}) n
        where strpos(lower(left(n.semantic_identifier, 1000)), ${part}) > 0)) found
    join document d on d.id = found.id
    where ${isVisibleTo('d', userId)}
    order by (d.external_id = ${text}) desc, strpos(lower(left(d.semantic_identifier, 1000)), ${part}) = 1 desc nulls last,
      d.id desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** Connectors by id or name. */
export async function findConnectors(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id::text as id, id::text as page_id, name as title, status as state, source as detail,
      created_at as at
    from (select * from cc_pair where workspace_id = ${sought.workspaceId} and connector_id is not null
      order by id desc limit ${MAX_COMPARED}) p
    where id = ${sought.number}::bigint or strpos(lower(name), ${sought.part}) > 0
    order by id desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** The run of a connector with this id. */
export async function findRuns(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select a.id::text as id, a.cc_pair_id::text as page_id, 'Run of ' || p.name as title,
      a.status as state, a.error as detail, a.created_at as at
    from index_attempt a join cc_pair p on p.id = a.cc_pair_id
    where a.id = ${sought.number}::bigint and a.workspace_id = ${sought.workspaceId}`.execute(db);
  return rows;
}

/** Webhook endpoints by id, address or description. */
export async function findEndpoints(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id::text as id, id::text as page_id, url as title,
      case when enabled then null else 'disabled' end as state, description as detail, created_at as at
    from (select * from webhook_endpoint
      where workspace_id = ${sought.workspaceId} and deleted_at is null
      order by created_at desc limit ${MAX_COMPARED}) e
    where id = ${sought.uuid}::uuid or strpos(lower(url), ${sought.part}) > 0
      or strpos(lower(description), ${sought.part}) > 0
    order by created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** Deliveries by their id, or that of their event. */
export async function findDeliveries(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select d.id::text as id, d.id::text as page_id, d.event_type as title, d.status as state,
      e.url as detail, d.created_at as at
    from ((select id from webhook_delivery where id = ${sought.number}::bigint)
      union (select id from webhook_delivery where webhook_event_id = ${sought.part}
        limit ${MAX_OF_KIND})) found
    join webhook_delivery d on d.id = found.id
    join webhook_endpoint e on e.id = d.webhook_endpoint_id
    where d.workspace_id = ${sought.workspaceId} order by d.id desc limit ${MAX_OF_KIND}`.execute(
    db,
  );
  return rows;
}

/** Messages by id, and the newest ones by their recipient. */
export async function findMessages(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { workspaceId, uuid, part } = sought;
  const { rows } = await sql<FoundRow>`
    select m.id::text as id, m.email_account_id::text as page_id, 'To ' || m.recipient as title,
      m.status as state, m.error as detail, m.created_at as at
    from ((select id from email_message where id = ${uuid}::uuid)
      union (select id from (select id, recipient from email_message
          where workspace_id = ${workspaceId} order by created_at desc, id desc limit ${MAX_COMPARED}) n
        where strpos(lower(n.recipient), ${part}) > 0)) found
    join email_message m on m.id = found.id
    where m.workspace_id = ${workspaceId}
    order by m.created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** Sender accounts by id, address or name. */
export async function findAccounts(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id::text as id, id::text as page_id, email as title, null::text as state,
      from_name as detail, created_at as at
    from (select * from email_account where workspace_id = ${sought.workspaceId}
      order by created_at desc limit ${MAX_COMPARED}) a
    where id = ${sought.uuid}::uuid or strpos(lower(email), ${sought.part}) > 0
      or strpos(lower(from_name), ${sought.part}) > 0
    order by created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}

/** Lead scrapes by id, the newest ones by what they looked for. */
export async function findScrapes(db: Database, sought: Sought): Promise<FoundRow[]> {
  const { workspaceId, uuid, part } = sought;
  const { rows } = await sql<FoundRow>`
    select s.id::text as id, s.id::text as page_id, left(s.query, 1000) as title, s.status as state,
      s.error as detail, s.created_at as at
    from ((select id from lead_scrape where id = ${uuid}::uuid)
      union (select id from (select id, query from lead_scrape
          where workspace_id = ${workspaceId} order by created_at desc, id desc limit ${MAX_COMPARED}) n
        where strpos(lower(left(n.query, 1000)), ${part}) > 0)) found
    join lead_scrape s on s.id = found.id
    where s.workspace_id = ${workspaceId}
    order by s.created_at desc limit ${MAX_OF_KIND}`.execute(db);
  return rows;
}
