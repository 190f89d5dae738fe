import type { Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge, label } from '#src/console/web/parts/badge.ts';
import { linkButton } from '#src/console/web/parts/button.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, page } from '#src/console/web/parts/page.ts';
import { rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { due, time } from '#src/console/web/parts/time.ts';

export type Kind = Reply<'GET /manage/admin/connector-kinds'>[number];
type Pair = Reply<'GET /manage/admin/connector/status'>[number];
type Standing = Pick<
  Pair,
  'indexing' | 'status_reason' | 'in_repeated_error_state' | 'last_index_attempt_status'
> & { status: string };

/** What the topic of the list tells. */
interface Told {
  readonly connectors: Pair[];
}

const reload = (): Promise<void> => refresh('GET /manage/admin/connector/status');

/** Is everything that is connected fresh, and if not, why? */
export function Connectors(): Part {
  const pairs = useResource('GET /manage/admin/connector/status');
  const kinds = useResource('GET /manage/admin/connector-kinds');
  useLive({ connectors: takePairs }, reload);
  return page({
    title: 'Connectors',
    about: 'Places whose documents are fetched, and kept up to date.',
    actions: [
      liveMark(),
      linkButton('Credentials', link('/connectors/credentials')),
      html`<a class="button primary" href=${link('/connectors/new')}>
        ${icon('plus')}New connector
      </a>`,
    ],
    content: known(pairs, (rows) => pairTable(rows, kinds.data ?? []), reload),
  });
}

function takePairs(data: unknown): void {
  // The stream has the shape of the description, which says what this topic tells.
  put('GET /manage/admin/connector/status', {}, (data as Told).connectors);
}

function pairTable(rows: readonly Pair[], kinds: readonly Kind[]): Part {
  if (rows.length === 0) {
    return empty(
      'Connected sites, wikis, repositories and mailboxes will be listed here, each with how fresh it is.',
      linkButton('Connect the first', link('/connectors/new')),
    );
  }
  return table({
    caption: 'Connectors',
    rows,
    isLinked: true,
    keyOf: (pair) => pair.cc_pair_id,
    columns: [
      {
        name: 'Name',
        role: 'main',
        show: (pair) =>
          twoLines(
            rowLink(pair.name, link(`/connectors/${pair.cc_pair_id}`)),
            pair.status_reason ?? titleOf(pair.connector.source, kinds),
            { matters: pair.status_reason !== null },
          ),
      },
      {
        name: 'State',
        role: 'state',
        show: (pair) => pairBadge({ ...pair, status: pair.cc_pair_status }),
      },
      {
        name: 'Last success',
        label: 'success',
        show: ({ last_indexed }) => time(last_indexed, 'never'),
      },
      {
        name: 'Documents',
        isNumber: true,
        label: 'documents',
        show: ({ docs }) => count(docs.indexed),
      },
      { name: 'Waiting', isNumber: true, role: 'wide', show: ({ docs }) => count(docs.pending) },
      {
        name: 'Failed',
        isNumber: true,
        label: 'failed',
        show: ({ docs }) =>
          docs.failed > 0 ? html`<span class="bad">${count(docs.failed)}</span>` : count(0),
      },
      { name: 'Next run', label: 'next', show: ({ next_run }) => due(next_run) },
    ],
    foot: plural(rows.length, 'connector'),
  });
}

/** The state that matters: what keeps it from working, then what it does. */
export function pairBadge(pair: Standing): Part {
  const { status, indexing, last_index_attempt_status: last } = pair;
  if (status === 'DELETING') return badge(status);
  if (pair.status_reason !== null) return badge('INVALID');
  if (status === 'PAUSED') return badge(status);
  if (pair.in_repeated_error_state)
    return label({ tone: 'red', icon: 'cross', word: 'keeps failing' });
  if (indexing) return badge('in_progress');
  if (last === 'failed') return label({ tone: 'amber', icon: 'warning', word: 'last run failed' });
  return badge(status);
}

/** The kind that a source names: `atom` is of the kind `rss`. */
export function kindOf(source: string, kinds: readonly Kind[]): Kind | null {
  const name = source.toLowerCase();
  return kinds.find(({ kind, aliases }) => kind === name || aliases.includes(name)) ?? null;
}

export function titleOf(source: string, kinds: readonly Kind[]): string {
  return kindOf(source, kinds)?.title ?? source;
}
