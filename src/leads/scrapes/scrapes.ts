import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { LeadScrapeId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import {
  type Enrichment,
  LEAD_SCRAPE_STATUSES,
  type LeadScrapeStatus,
  type PageProblem,
  SCRAPE_MODES,
  type ScrapeMode,
  type SiteStatus,
} from '#src/tables/leads.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { endScrape } from './finish-scrape.ts';
import type { StoredLead } from './lead-rows.ts';
import { readLeadsToShow } from './read-leads-to-show.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

const CURSOR = /^(\d{1,16}):([0-9a-f-]{36})$/;
const MAX_PAGE = 200;
const PAGE = 50;

export interface ScrapeRecord {
  id: LeadScrapeId;
  mode: ScrapeMode;
  query: string;
  urls: string[] | null;
  max_results: number;
  enrichment: Enrichment[];
  status: LeadScrapeStatus;
  provider: string | null;
  far_sites: number;
  pages_done: number;
  leads_found: number;
  error: string | null;
  processing_time_ms: number | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  expires_at: Date | null;
}

export interface ScrapeAddress {
  workspaceId: WorkspaceId;
  id: LeadScrapeId;
}

export interface ScrapeDetails {
  scrape: ScrapeRecord;
  sites: {
    url: string;
    domain: string;
    status: SiteStatus;
    pages: number;
    error: string | null;
    problems: PageProblem[];
  }[];
  leads: StoredLead[];
}

/**
 * Brands the id of a path, once its format is verified.
 * @throws Problem NOT_FOUND
 */
export function scrapeIdOf(text: string): LeadScrapeId {
  if (!isUuid(text)) throw unknownScrape(text);
  return text.toLowerCase() as LeadScrapeId;
}

function unknownScrape(id: string): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no lead scrape with the id ${JSON.stringify(id.slice(0, 100))}. GET /tools/lead-scraper lists those that are kept.`,
  );
}

const cursor = z
  .string()
  .transform((text) => CURSOR.exec(Buffer.from(text, 'base64url').toString()))
  .refine((match) => match !== null, 'must be the next_cursor of an earlier page')
  .transform((match) => ({ micros: match?.[1] ?? '', id: match?.[2] ?? '' }));

export const scrapesQuerySchema = z.strictObject({
  status: z.enum(LEAD_SCRAPE_STATUSES).optional(),
  mode: z.enum(SCRAPE_MODES).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
  cursor: cursor.optional(),
});

function columns(retentionDays: number): RawBuilder<unknown> {
  return sql`id, mode, query, urls, max_results, enrichment, status, provider, far_sites, pages_done, leads_found,
    error, processing_time_ms, created_at, started_at, finished_at,
    finished_at + make_interval(days => ${retentionDays}) as expires_at`;
}

type ListServices = Pick<LeadServices, 'db' | 'config'>;

/** Newest first. New scrapes do not shift the pages. */
export async function listScrapes(
  { db, config }: ListServices,
  workspaceId: WorkspaceId,
  query: z.output<typeof scrapesQuerySchema>,
): Promise<{ scrapes: ScrapeRecord[]; nextCursor: string | null }> {
  const { rows } = await sql<ScrapeRecord & { micros: string }>`
    select ${columns(config.LEAD_RETENTION_DAYS)},
      (extract(epoch from created_at) * 1000000)::bigint::text as micros
    from lead_scrape where workspace_id = ${workspaceId}
      and (${query.status ?? null}::text is null or status = ${query.status ?? null})
      and (${query.mode ?? null}::text is null or mode = ${query.mode ?? null})
      and (${query.cursor?.id ?? null}::uuid is null or (created_at, id) <
        ('epoch'::timestamptz + ${query.cursor?.micros ?? '0'}::bigint * interval '1 microsecond',
          ${query.cursor?.id ?? null}::uuid))
    order by created_at desc, id desc limit ${query.limit + 1}`.execute(db);
  const scrapes = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? scrapes.at(-1) : undefined;
  const nextCursor = last ? Buffer.from(`${last.micros}:${last.id}`).toString('base64url') : null;
  return { scrapes, nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function findScrape(
  { db, config }: ListServices,
  { workspaceId, id }: ScrapeAddress,
): Promise<ScrapeRecord> {
  const { rows } = await sql<ScrapeRecord>`
    select ${columns(config.LEAD_RETENTION_DAYS)} from lead_scrape
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db);
  const [scrape] = rows;
  if (!scrape) throw unknownScrape(id);
  return scrape;
}

/** @throws Problem NOT_FOUND */
export async function findScrapeDetails(
  services: ListServices,
  address: ScrapeAddress,
): Promise<ScrapeDetails> {
  const { db } = services;
  const { workspaceId, id } = address;
  const scrape = await findScrape(services, address);
  const sites = await db
    .selectFrom('lead_scrape_site')
    .select(['url', 'domain', 'status', 'pages', 'error', 'problems'])
    .where('lead_scrape_id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .orderBy('ordinal')
    .execute();
  return { scrape, sites, leads: await readLeadsToShow(db, workspaceId, id) };
}

/**
 * Its worker stops as soon as it notices; what has been found so far is kept.
 * @throws Problem NOT_FOUND, CONFLICT
 */
export async function cancelScrape(
  services: Pick<LeadServices, 'clock' | 'db' | 'log' | 'producer'>,
  { workspaceId, id }: ScrapeAddress,
): Promise<void> {
  const toDeliver = await services.db.transaction().execute(async (trx) => {
    const scrape = await trx
      .selectFrom('lead_scrape')
      .select('status')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!scrape) throw unknownScrape(id);
    if (scrape.status === 'canceled') return [];
    if (scrape.status !== 'queued' && scrape.status !== 'running') {
      throw new Problem(
        'CONFLICT',
        `This scrape has ${scrape.status} already; DELETE /tools/lead-scraper/${id} deletes it.`,
      );
    }
    return endScrape(
      trx,
      { id, workspace_id: workspaceId },
      { status: 'canceled', error: null, now: services.clock() },
    );
  });
  await sendDeliveries(services, toDeliver);
}

/**
 * Includes its leads; a running scrape ends.
 * @throws Problem NOT_FOUND
 */
export async function deleteScrape(
  db: Database,
  { workspaceId, id }: ScrapeAddress,
): Promise<void> {
  const deleted = await db
    .deleteFrom('lead_scrape')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw unknownScrape(id);
}
