import type { Reply } from '#src/console/web/data/call.ts';
import { useRepeat } from '#src/console/web/data/live.ts';
import { filter, link, linkWith, query } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button, linkButton } from '#src/console/web/parts/button.ts';
import { command } from '#src/console/web/parts/copy.ts';
import { choiceFilter } from '#src/console/web/parts/filter.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, durationText, plural } from '#src/console/web/parts/number.ts';
import { empty, figures, known, page } from '#src/console/web/parts/page.ts';
import { pager, rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';

type Found = Reply<'GET /service-api/ingestion'>;
type Document = Found['documents'][number];
type Stats = Reply<'GET /service-api/ingestion/stats'>;

const STATUSES = ['accepted', 'indexing', 'indexed', 'failed', 'deleting'] as const;
const STATUS_OPTIONS = [
  { value: 'accepted', text: 'waiting' },
  { value: 'indexing', text: 'indexing' },
  { value: 'indexed', text: 'searchable' },
  { value: 'failed', text: 'failed' },
  { value: 'deleting', text: 'deleting' },
];
const EVERY_MS = 2_500;
const IDLE_EVERY_MS = 10_000;

const reload = (): Promise<void> =>
  refresh('GET /service-api/ingestion', 'GET /service-api/ingestion/stats');

/** Did my document arrive, and is it searchable? */
export function Documents(): Part {
  const status = STATUSES.find((name) => name === query.value.get('status'));
  const cursor = query.value.get('cursor');
  const source = query.value.get('source');
  const connector = Number(query.value.get('connector')) || null;
  const documents = useResource('GET /service-api/ingestion', {
    query: { status, cursor, source, cc_pair_id: connector, limit: 50 },
  });
  const stats = useResource('GET /service-api/ingestion/stats');
  const isMoving = (documents.data?.documents ?? []).some(isOnItsWay);
  useRepeat(() => void reload(), isMoving ? EVERY_MS : IDLE_EVERY_MS, true);
  return page({
    title: 'Documents',
    about: 'What can be searched and asked about, and what is on its way there.',
    content: [
      stats.data && standing(stats.data),
      choiceFilter({ name: 'status', label: 'State', options: STATUS_OPTIONS }),
      known(
        documents,
        (found) =>
          documentTable(found, status !== undefined || source !== null || connector !== null),
        reload,
      ),
    ],
  });
}

export function isOnItsWay({ status }: Pick<Document, 'status'>): boolean {
  return status === 'accepted' || status === 'indexing' || status === 'deleting';
}

function standing({ counts, documents_per_second: rate, ...rest }: Stats): Part {
  const pending = (counts['accepted'] ?? 0) + (counts['indexing'] ?? 0);
  const left = rest.estimated_seconds_to_drain;
  return figures([
    { name: 'Searchable', value: count(counts['indexed'] ?? 0) },
    {
      name: 'On the way',
      value: count(pending),
      more: pending > 0 && left ? `about ${durationText(left * 1_000)} to go` : null,
    },
    { name: 'Failed', value: failedLink(counts['failed'] ?? 0) },
    { name: 'Indexed per minute', value: countText(Math.round(rate * 60)) },
  ]);
}

function failedLink(failed: number): Parts {
  return failed === 0
    ? count(0)
    : html`<a href=${linkWith({ status: 'failed', cursor: null })}>${count(failed)}</a>`;
}

function documentTable({ documents, next_cursor }: Found, isFiltered: boolean): Part {
  if (documents.length === 0) {
    return isFiltered
      ? empty(
          'No document is in this state.',
          button({
            text: 'Show all',
            run: () => filter({ status: null, source: null, connector: null }),
          }),
        )
      : nothingYet();
  }
  return table({
    caption: 'Documents',
    rows: documents,
    isLinked: true,
    keyOf: ({ document_id }) => document_id,
    columns: [
      {
        name: 'Title',
        role: 'main',
        show: (one) =>
          twoLines(
            rowLink(
              one.semantic_identifier,
              link(`/documents/${encodeURIComponent(one.document_id)}`),
            ),
            one.error ?? one.document_id,
            { matters: one.error !== null },
          ),
      },
      { name: 'State', role: 'state', show: ({ status }) => badge(status) },
      { name: 'Source', show: ({ source: from }) => html`<span class="tag">${from}</span>` },
      {
        name: 'Chunks',
        isNumber: true,
        label: 'chunks',
        show: ({ chunk_count }) => count(chunk_count),
      },
      {
        name: 'Took',
        isNumber: true,
        role: 'wide',
        show: ({ timings }) => (timings.total_ms === null ? '–' : durationText(timings.total_ms)),
      },
      { name: 'Arrived', label: 'arrived', show: ({ accepted_at }) => time(accepted_at) },
    ],
    foot: pager({
      count: `${plural(documents.length, 'document')} on this page`,
      firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
      nextHref: next_cursor && linkWith({ cursor: next_cursor }),
    }),
  });
}

function nothingYet(): Part {
  return empty('Documents will be listed here seconds after they were sent.', [
    command(`curl -s ${location.origin}/service-api/ingestion \\
  -H "Authorization: Bearer $MILLRACE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"document": {"semantic_identifier": "Hello", "sections": [{"text": "Hello, Millrace."}]}}'`),
    linkButton('Make a key for it', link('/settings/keys')),
  ]);
}
