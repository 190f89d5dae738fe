import type { Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { filter, link, linkWith, query } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button, linkButton } from '#src/console/web/parts/button.ts';
import { command } from '#src/console/web/parts/copy.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, durationText, plural } from '#src/console/web/parts/number.ts';
import { empty, figures, known, liveMark, page } from '#src/console/web/parts/page.ts';
import { chooseColumn, pager, rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { askToAdd } from './documents-add.ts';
import { addedSection, useAdded } from './documents-added.ts';
import { chosenBar, type Choice, retryAllButton, useChoice } from './documents-chosen.ts';
import { chosenFilter, documentFilters, isNarrowed, NO_FILTERS } from './documents-filters.ts';

type Found = Reply<'GET /service-api/ingestion'>;
type Stats = Reply<'GET /service-api/ingestion/stats'>;

const reload = (): Promise<void> =>
  refresh('GET /service-api/ingestion', 'GET /service-api/ingestion/stats');

/** Did my document arrive, and is it searchable? */
export function Documents(): Part {
  const cursor = query.value.get('cursor');
  const narrowed = chosenFilter();
  const documents = useResource('GET /service-api/ingestion', {
    query: { ...narrowed, cursor, limit: 50 },
  });
  const stats = useResource('GET /service-api/ingestion/stats');
  const { added, ...adding } = useAdded();
  const choice = useChoice();
  useLive({ documents: takeStats, ...adding.topics }, () => Promise.all([reload(), adding.look()]));
  const add = (): void => askToAdd(adding.add);
  return page({
    title: 'Documents',
    about: 'What can be searched and asked about, and what is on its way there.',
    actions: [
      liveMark(),
      button({ text: 'Add documents', icon: 'plus', look: 'primary', run: add }),
    ],
    content: [
      added.length > 0 && addedSection(added, adding.clear),
      stats.data && standing(stats.data),
      documentFilters(),
      known(documents, (found) => documentTable(found, choice, add), reload),
    ],
  });
}

/** The figures come by the stream; whenever they change, the list does. */
function takeStats(data: unknown): void {
  put('GET /service-api/ingestion/stats', {}, data as Stats);
  void refresh('GET /service-api/ingestion');
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
    : html`<a href=${linkWith({ ...NO_FILTERS, status: 'failed' })}>${count(failed)}</a>`;
}

function documentTable({ documents, next_cursor }: Found, choice: Choice, add: () => void): Part {
  if (documents.length === 0) return isNarrowed() ? nothingMatches() : nothingYet(add);
  const chosen = documents.filter((one) => choice.chosen.has(one.document_id));
  return table({
    caption: 'Documents',
    rows: documents,
    isLinked: true,
    keyOf: ({ document_id }) => document_id,
    above: chosenBar({
      chosen,
      hasMore: next_cursor !== null || query.value.has('cursor'),
      choice,
    }),
    columns: [
      chooseColumn({
        rows: documents,
        keyOf: ({ document_id }) => document_id,
        nameOf: ({ semantic_identifier }) => semantic_identifier,
        ...choice,
      }),
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
      count: html`<span class="row">
        ${plural(documents.length, 'document')} on this page ${retryAllButton()}
      </span>`,
      firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
      nextHref: next_cursor && linkWith({ cursor: next_cursor }),
    }),
  });
}

function nothingMatches(): Part {
  return empty(
    'No document matches all of these filters.',
    button({ text: 'Show all', run: () => filter(NO_FILTERS) }),
  );
}

function nothingYet(add: () => void): Part {
  return empty('Documents will be listed here seconds after they were sent.', [
    button({ text: 'Add documents', icon: 'plus', run: add }),
    html`<p>From a program:</p>`,
    command(`curl -s ${location.origin}/service-api/ingestion \\
  -H "Authorization: Bearer $MILLRACE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"document": {"semantic_identifier": "Hello", "sections": [{"text": "Hello, Millrace."}]}}'`),
    may('admin') && linkButton('Make a key for it', link('/settings/keys')),
  ]);
}
