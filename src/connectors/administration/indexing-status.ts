import { z } from 'zod';
import { INDEX_ATTEMPT_STATUSES, PAIR_STATUSES } from '#src/tables/connectors.ts';
import { accessType } from './connector-request.ts';
import { isIndexing, isRepeatedlyFailing, type PairOverview } from './pair-status.ts';
import { findConnector } from '#src/connectors/kinds/registry.ts';

const PAIRS_PER_PAGE = 10;

export const indexingStatusRequestSchema = z
  .object({
    secondary_index: z.boolean().nullish().describe('Ignored: there is one index.'),
    source: z.string().max(64).nullish(),
    access_type_filters: z.array(accessType).nullish(),
    last_status_filters: z.array(z.enum(INDEX_ATTEMPT_STATUSES)).nullish(),
    docs_count_operator: z.enum(['>', '<', '=']).nullish(),
    docs_count_value: z.int().nullish(),
    name_filter: z.string().max(200).nullish(),
    source_to_page: z
      .record(z.string(), z.int().min(1))
      .nullish()
      .describe('From 1, by source; 1 unless told.'),
    get_all_connectors: z.boolean().nullish().describe('Everything on one page.'),
  })
  .nullish()
  .transform((value) => value ?? {});

export type IndexingStatusRequest = z.output<typeof indexingStatusRequestSchema>;

const runStatus = z.enum(INDEX_ATTEMPT_STATUSES).nullable();

const indexingStatusItem = z
  .object({
    cc_pair_id: z.int(),
    name: z.string(),
    source: z.string(),
    access_type: z.string(),
    cc_pair_status: z.enum(PAIR_STATUSES),
    in_progress: z.boolean(),
    in_repeated_error_state: z.boolean(),
    last_finished_status: runStatus,
    last_status: runStatus,
    last_success: z.iso.datetime().nullable(),
    is_editable: z.boolean(),
    docs_indexed: z.int(),
    latest_index_attempt_docs_indexed: z.int().nullable(),
  })
  .meta({ id: 'ConnectorIndexingStatus' });

export const indexingStatusReplySchema = z.array(
  z
    .object({
      source: z.string(),
      summary: z.object({
        total_connectors: z.int(),
        active_connectors: z.int(),
        public_connectors: z.int(),
        total_docs_indexed: z.int(),
      }),
      current_page: z.int(),
      total_pages: z.int(),
      indexing_statuses: z.array(indexingStatusItem),
    })
    .meta({ id: 'SourceIndexingStatus' }),
);

/** The pairs that match the filters, grouped by source and paged within each source. */
export function groupByStatus(
  pairs: readonly PairOverview[],
  request: IndexingStatusRequest,
): z.input<typeof indexingStatusReplySchema> {
  const chosen = pairs.filter((pair) => passes(pair, request));
  const bySource = Map.groupBy(chosen, ({ source }) => source);
  return [...bySource].map(([source, group]) => {
    const size = request.get_all_connectors ? group.length : PAIRS_PER_PAGE;
    const pages = Math.ceil(group.length / size);
    const page = Math.min(request.source_to_page?.[source] ?? 1, pages);
    return {
      source,
      summary: summarize(group),
      current_page: page,
      total_pages: pages,
      indexing_statuses: group.slice((page - 1) * size, page * size).map(presentItem),
    };
  });
}

function passes(pair: PairOverview, request: IndexingStatusRequest): boolean {
  const access = request.access_type_filters?.map((one) => one.toLowerCase()) ?? [];
  const statuses = request.last_status_filters ?? [];
  const lastStatus = pair.lastRun?.status;
  return [
    !request.source || kindOf(pair.source) === kindOf(request.source),
    access.length === 0 || access.includes(pair.access_type.toLowerCase()),
    statuses.length === 0 || (lastStatus !== undefined && statuses.includes(lastStatus)),
    pair.name.toLowerCase().includes((request.name_filter ?? '').toLowerCase()),
    hasCount(pair.documents.indexed, request),
  ].every(Boolean);
}

function hasCount(documents: number, request: IndexingStatusRequest): boolean {
  const { docs_count_operator: operator, docs_count_value: value } = request;
  if (!operator || value === null || value === undefined) return true;
  switch (operator) {
    case '>':
      return documents > value;
    case '<':
      return documents < value;
    case '=':
      return documents === value;
  }
}

/** `tracker` and `jira` are the same kind. */
function kindOf(source: string): string {
  return findConnector(source)?.kind ?? source.toLowerCase();
}

function summarize(group: readonly PairOverview[]) {
  return {
    total_connectors: group.length,
    active_connectors: group.filter(({ status }) => status === 'ACTIVE').length,
    public_connectors: group.filter((pair) => pair.access_type.toLowerCase() === 'public').length,
    total_docs_indexed: group.reduce((sum, { documents }) => sum + documents.indexed, 0),
  };
}

function presentItem(pair: PairOverview): z.input<typeof indexingStatusItem> {
  const { lastRun } = pair;
  return {
    cc_pair_id: pair.id,
    name: pair.name,
    source: pair.source,
    access_type: pair.access_type,
    cc_pair_status: pair.status,
    in_progress: isIndexing(pair),
    in_repeated_error_state: isRepeatedlyFailing(pair),
    last_finished_status: pair.lastFinishedRun?.status ?? null,
    last_status: lastRun?.status ?? null,
    last_success: pair.last_success_at?.toISOString() ?? null,
    is_editable: true,
    docs_indexed: pair.documents.indexed,
    latest_index_attempt_docs_indexed: lastRun && lastRun.accepted + lastRun.unchanged,
  };
}
