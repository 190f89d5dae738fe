import { useLive } from '#src/console/web/data/live.ts';
import type { Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, durationText, plural } from '#src/console/web/parts/number.ts';
import { known, liveMark, page } from '#src/console/web/parts/page.ts';
import { spark } from '#src/console/web/parts/spark.ts';
import { rowLink, table, twoLines, type Column } from '#src/console/web/parts/table.ts';
import { clockText } from '#src/console/web/parts/time.ts';
import { attention, type Concern } from './attention.ts';
import { chosenRange, rangeTabs } from './ranges.ts';
import type { Subject } from './subjects.ts';

type Found = Reply<'GET /operations/queues'>;
export type Queue = Found['queues'][number];

const reload = (): Promise<void> => refresh('GET /operations/queues');

/** What is wrong, since when, and what do I press? */
export function Operations(): Part {
  const range = chosenRange();
  const queues = useResource('GET /operations/queues', { query: { range } });
  // The stream is of the last hour.
  useLive(
    range === 'hour'
      ? { queues: (data) => put('GET /operations/queues', { query: { range } }, data as Found) }
      : {},
    reload,
  );
  return page({
    title: 'Operations',
    width: 'wide',
    actions: [liveMark(), may('bootstrap-admin') && rawJobs()],
    content: [rangeTabs(), known(queues, show, reload)],
  });
}

/** The dashboard of the queue store; it opens for whoever may change queues. */
function rawJobs(): Part {
  return html`<a class="button" href="/admin/queues" target="_blank" rel="noopener">Raw jobs</a>`;
}

function show({ queues }: Found): Parts {
  const work = queues.filter(({ kind }) => kind === 'work');
  const chores = queues.filter(({ kind }) => kind === 'housekeeping');
  const troubled = chores.filter(isTroubled);
  return [
    attention(queues.flatMap(concernsOf), 'All queues are served and keep up, and nothing failed.'),
    queueTable('Queues', work),
    html`<details class="fold" open=${troubled.length > 0}>
      <summary>
        ${plural(chores.length, 'housekeeping queue')},
        ${troubled.length === 0 ? 'all fine' : `${countText(troubled.length)} with something to look at`}
      </summary>
      ${queueTable('Housekeeping queues', chores)}
    </details>`,
  ];
}

function isTroubled({ alarms, failed, paused }: Queue): boolean {
  return alarms.length > 0 || failed > 0 || paused !== null;
}

/** Everything that is not as it should be: alarms, failures and pauses. */
function concernsOf(queue: Queue): Concern[] {
  const subject = { kind: 'queue', id: queue.name };
  const alarms = queue.alarms.map(({ kind, message, since }): Concern => ({
    level: kind === 'falling_behind' ? 'warning' : 'danger',
    text: `${queue.name}: ${message}`,
    since,
    subject,
  }));
  return [...alarms, failuresOf(queue, subject), pauseOf(queue, subject)].filter(
    (concern) => concern !== null,
  );
}

function failuresOf({ name, failed, failures }: Queue, subject: Subject): Concern | null {
  if (failed === 0) return null;
  const since = failures?.first_at ?? null;
  const said =
    failures === null || failures.message === ''
      ? ''
      : `, ${failures.is_all ? (failed === 1 ? 'because' : 'all') : 'most'} “${failures.message}”`;
  const from = since === null ? '' : ` since ${clockText(since)}`;
  return {
    level: 'warning',
    text: `${name}: ${countText(failed)} failed${from}${said}`,
    since,
    subject,
  };
}

function pauseOf({ name, paused }: Queue, subject: Subject): Concern | null {
  if (paused === null) return null;
  const why = paused.reason === null ? '' : `: ${paused.reason}`;
  return {
    level: 'warning',
    text: `${name}: paused by ${paused.by.name}${why}`,
    since: paused.at,
    subject,
  };
}

function queueTable(caption: string, rows: readonly Queue[]): Part {
  return table({
    caption,
    rows,
    isLinked: true,
    hasMany: true,
    keyOf: ({ name }) => name,
    columns: COLUMNS,
  });
}

const COLUMNS: readonly Column<Queue>[] = [
  {
    name: 'Queue',
    role: 'main',
    show: ({ name, does }) =>
      twoLines(rowLink(name, link(`/operations/${name}`)), does, { wraps: true }),
  },
  { name: 'State', role: 'state', show: (queue) => queueState(queue) },
  {
    name: 'Oldest',
    isNumber: true,
    label: 'oldest',
    show: ({ oldest_seconds: oldest }) => (oldest === null ? '–' : durationText(oldest * 1_000)),
  },
  { name: 'Waiting', isNumber: true, label: 'waiting', show: ({ waiting }) => count(waiting) },
  {
    name: 'Active',
    isNumber: true,
    role: 'wide',
    label: 'active',
    show: ({ active }) => count(active),
  },
  {
    name: 'Delayed',
    isNumber: true,
    role: 'wide',
    label: 'delayed',
    show: ({ delayed }) => count(delayed),
  },
  {
    name: 'Per min',
    isNumber: true,
    label: 'per min',
    show: ({ per_minute }) => count(per_minute),
  },
  { name: 'Last hour', role: 'wide', show: ({ minutes }) => spark(minutes, hourText(minutes)) },
  {
    name: 'Failed',
    isNumber: true,
    label: 'failed',
    show: ({ failed }) =>
      failed > 0 ? html`<strong class="bad">${count(failed)}</strong>` : count(0),
  },
  {
    name: 'Wait p95',
    isNumber: true,
    role: 'wide',
    label: 'wait p95',
    show: ({ wait_ms: wait }) => (wait === null ? '–' : durationText(wait.p95)),
  },
  {
    name: 'Run p95',
    isNumber: true,
    role: 'wide',
    label: 'run p95',
    show: ({ run_ms: run }) => (run === null ? '–' : durationText(run.p95)),
  },
  {
    name: 'Workers',
    isNumber: true,
    role: 'wide',
    label: 'workers',
    show: ({ workers }) => count(workers),
  },
];

export function hourText(minutes: Queue['minutes']): string {
  const sum = (of: 'finished' | 'failed'): string =>
    countText(minutes.reduce((total, minute) => total + minute[of], 0));
  return `${sum('finished')} finished in the last hour, ${sum('failed')} failed`;
}

/** One badge: an alarm before a pause before failures before what it does now. */
export function queueState({
  alarms,
  paused,
  failed,
  active,
  waiting,
  workers,
}: Pick<Queue, 'alarms' | 'paused' | 'failed' | 'active' | 'waiting' | 'workers'>): Part {
  const [alarm] = alarms;
  if (alarm !== undefined) {
    const isDanger = alarm.kind !== 'falling_behind';
    return label({
      tone: isDanger ? 'red' : 'amber',
      icon: 'warning',
      word: alarm.kind.replaceAll('_', ' '),
    });
  }
  if (paused !== null) return label({ tone: 'grey', icon: 'pause', word: 'paused' });
  if (workers === 0) return label({ tone: 'amber', icon: 'warning', word: 'no worker' });
  if (failed > 0) return label({ tone: 'amber', icon: 'warning', word: 'failures' });
  if (active + waiting > 0) return label({ tone: 'blue', icon: 'half', word: 'working' });
  return label({ tone: 'green', icon: 'check', word: 'idle' });
}
