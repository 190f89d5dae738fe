import { useLive } from '#src/console/web/data/live.ts';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { link, query } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { menu } from '#src/console/web/parts/menu.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import {
  facts,
  figures,
  known,
  liveMark,
  notice,
  page,
  section,
} from '#src/console/web/parts/page.ts';
import { fieldsOf, labelOf } from '#src/console/web/parts/schema-fields.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { type Kind, kindOf, pairBadge, titleOf } from './connectors.ts';
import { askForCredential, askToChange, askToDelete } from './connector-dialogs.ts';
import { type Pair, reloadConnector } from './connector-pair.ts';
import { failureSection } from './connector-failures.ts';
import { pruneNotice, askToPrune } from './connector-prune.ts';
import { liveRun, runSection } from './connector-runs.ts';
import { setSection } from './connector-sets.ts';
import { everyText } from './frequency.ts';

/** As many as the topic tells. */
const PAGE_SIZE = 10;

/** What the topic of a connector tells: the first page of its runs and of its failures. */
interface Told {
  readonly connector: Pair;
  readonly runs: Reply<'GET /manage/admin/cc-pair/{id}/index-attempts'>;
  readonly errors: Reply<'GET /manage/admin/cc-pair/{id}/errors'>;
  readonly prunes: Reply<'GET /manage/admin/cc-pair/{id}/prune-attempts'>;
}

/** Is this one source fresh, what does it do this moment, and what failed? */
export function ConnectorPage({ id = '' }: { id?: string }): Part {
  const which = { path: { id } };
  const pair = useResource('GET /manage/admin/cc-pair/{id}', which);
  const kinds = useResource('GET /manage/admin/connector-kinds');
  const runPage = { ...which, query: { page_num: pageNumber('runs'), page_size: PAGE_SIZE } };
  const runs = useResource('GET /manage/admin/cc-pair/{id}/index-attempts', runPage);
  const errorPage = { ...which, query: { page_num: pageNumber('failures'), page_size: PAGE_SIZE } };
  const errors = useResource('GET /manage/admin/cc-pair/{id}/errors', errorPage);
  const latestPrune = { ...which, query: { page_num: 0, page_size: 1 } };
  const prunes = useResource('GET /manage/admin/cc-pair/{id}/prune-attempts', latestPrune);
  const take = (told: unknown): void => {
    // The stream has the shape of the description, which says what this topic tells.
    const latest = told as Told;
    put('GET /manage/admin/cc-pair/{id}', which, latest.connector);
    put('GET /manage/admin/cc-pair/{id}/prune-attempts', latestPrune, latest.prunes);
    if (pageNumber('runs') === 0)
      put('GET /manage/admin/cc-pair/{id}/index-attempts', runPage, latest.runs);
    else void refresh('GET /manage/admin/cc-pair/{id}/index-attempts');
    if (pageNumber('failures') === 0)
      put('GET /manage/admin/cc-pair/{id}/errors', errorPage, latest.errors);
    else void refresh('GET /manage/admin/cc-pair/{id}/errors');
  };
  useLive({ [`connector:${id}`]: take }, reloadConnector);
  const [prune = null] = prunes.data?.items ?? [];
  const { data } = pair;
  const kind = data && kindOf(data.connector.source, kinds.data ?? []);
  const running = (runs.data?.items ?? []).find(({ time_finished: end }) => end === null) ?? null;
  return page({
    title: data?.name ?? 'Connector',
    under: { text: 'Connectors', href: link('/connectors') },
    badge: data && pairBadge(data),
    about: data && titleOf(data.connector.source, kinds.data ?? []),
    actions: data && [liveMark(), data.status !== 'DELETING' && actions(data, kind)],
    content: known(
      pair,
      (one) => [
        trouble(one, kind),
        prune && pruneNotice(one, prune),
        running && liveRun(running),
        standing(one, errors.data?.total_items ?? 0),
        known(runs, (found) => runSection(found, pageNumber('runs'), PAGE_SIZE), reloadConnector),
        known(
          errors,
          (found) => failureSection(found, pageNumber('failures'), PAGE_SIZE),
          reloadConnector,
        ),
        html`<div class="charts">${settingsSection(one, kind)} ${setSection(one)}</div>`,
      ],
      reloadConnector,
      { text: 'Connectors', href: link('/connectors') },
    ),
  });
}

function pageNumber(name: string): number {
  const number = Number(query.value.get(name));
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

function actions(pair: Pair, kind: Kind | null): Parts {
  const { id, status } = pair;
  const isPaused = status === 'PAUSED' || status === 'INVALID';
  const entry = (text: string, run: () => unknown, close: () => void): Part =>
    html`<button
      type="button"
      onClick=${() => {
        close();
        run();
      }}
    >
      ${text}
    </button>`;
  return [
    button({
      text: 'Run now',
      icon: 'play',
      look: 'primary',
      whyNot: whyNoRun(pair, isPaused),
      run: () => runNow(id, false),
    }),
    button({
      text: isPaused ? 'Resume' : 'Pause',
      icon: isPaused ? 'play' : 'pause',
      run: () => setStatus(id, isPaused ? 'ACTIVE' : 'PAUSED'),
    }),
    kind && button({ text: 'Change', run: () => askToChange(pair, kind) }),
    menu({
      name: 'More',
      face: ['More', icon('down')],
      entries: (close) => [
        entry('Fetch everything again', () => void fetchAgain(pair, isPaused), close),
        entry('Remove what is gone', () => askToPrune(pair), close),
        kind && entry('Other credential', () => void askForCredential(pair, kind), close),
        html`<hr />`,
        entry('Delete', () => askToDelete(pair), close),
      ],
    }),
  ];
}

function whyNoRun({ indexing }: Pair, isPaused: boolean): string | null {
  if (isPaused) return 'It is paused. Resume it: its next run then begins at once.';
  return indexing ? 'A run is under way.' : null;
}

async function runNow(id: number, fromBeginning: boolean): Promise<void> {
  await call('POST /manage/admin/cc-pair/{id}/run', {
    path: { id },
    body: { from_beginning: fromBeginning },
  });
  say('A run begins.');
  await reloadConnector();
}

async function fetchAgain({ id }: Pair, isPaused: boolean): Promise<void> {
  if (isPaused) return say('It is paused. Resume it first.', 'red');
  try {
    await runNow(id, true);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), 'red');
  }
}

async function setStatus(id: number, status: 'ACTIVE' | 'PAUSED'): Promise<void> {
  await call('PUT /manage/admin/cc-pair/{id}/status', { path: { id }, body: { status } });
  say(status === 'PAUSED' ? 'It is paused. Its documents stay.' : 'It goes on.');
  await reloadConnector();
}

/** Why it does not work, and what to do. */
function trouble(pair: Pair, kind: Kind | null): Parts {
  const { status, status_reason: reason, deletion_failure_message: failure } = pair;
  return [
    failure && notice('red', `It could not be deleted yet, and is tried again: ${failure}`),
    status === 'DELETING' &&
      failure === null &&
      notice('grey', `It is being deleted, with ${plural(pair.docs.indexed, 'document')}.`),
    reason &&
      notice(
        'red',
        html`<p>${reason}</p>
          ${
            kind &&
            html`<div class="row">
              ${button({ text: 'Other credential', look: 'tiny', run: () => askForCredential(pair, kind) })}
              ${button({ text: 'Resume', look: 'tiny', run: () => setStatus(pair.id, 'ACTIVE') })}
            </div>`
          }`,
      ),
  ];
}

/** @param failures what could not be fetched or indexed and is tried again: pages, not documents */
function standing({ id, docs, ...pair }: Pair, failures: number): Part {
  return figures([
    {
      name: 'Documents',
      value: html`<a href=${link(`/documents?connector=${id}`)}>${count(docs.indexed)}</a>`,
    },
    { name: 'On the way', value: count(docs.pending) },
    { name: 'Failed documents', value: count(docs.failed) },
    failures === 0 ? null : { name: 'Failed pages', value: count(failures) },
    { name: 'Last success', value: time(pair.last_indexed, 'never'), isWords: true },
    {
      name: 'Next run',
      value: pair.indexing ? 'under way' : time(pair.next_run, 'when asked to'),
      isWords: true,
      more: pair.connector.refresh_freq !== null && everyText(pair.connector.refresh_freq),
    },
  ]);
}

function settingsSection({ connector, credential, ...pair }: Pair, kind: Kind | null): Part {
  const settings = Object.entries(connector.connector_specific_config).filter(
    ([, value]) => value !== null && value !== '',
  );
  const titles = titlesOf(kind);
  return section({
    title: 'Settings',
    content: facts([
      ...settings.map(
        ([key, value]) => [titles.get(key) ?? labelOf(key), valueText(value)] as const,
      ),
      [
        'Credential',
        credential.id === 0 ? 'none' : (credential.name ?? `credential ${credential.id}`),
      ],
      [
        'Who can find its documents',
        pair.access_type.toLowerCase() === 'private'
          ? `only ${pair.creator_email ?? 'who connected it'}`
          : 'everybody in this workspace',
      ],
      ['Removes what is gone', everyText(connector.prune_freq)],
      ['Last removed', time(pair.last_pruned, 'never')],
      ['Connected by', pair.creator_email ?? '–'],
    ]),
  });
}

function titlesOf(kind: Kind | null): ReadonlyMap<string, string> {
  const fields = kind === null ? [] : fieldsOf(kind.settings, '');
  return new Map(fields.map(({ name, label }) => [name.slice(1), label]));
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(String).join(', ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
