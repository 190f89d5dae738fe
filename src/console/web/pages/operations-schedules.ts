import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { count, countText, duration, plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, page, section } from '#src/console/web/parts/page.ts';
import { type Column, rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { due, time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';

type Found = Reply<'GET /operations/schedules'>;
type Schedule = Found['schedules'][number];
type Repairs = Reply<'GET /operations/repairs'>;

const reload = (): Promise<void> => refresh('GET /operations/schedules');

/** What runs by the clock, and when next? And what did it have to repair? */
export function OperationsSchedules(): Part {
  const schedules = useResource('GET /operations/schedules');
  const repairs = useResource('GET /operations/repairs', { query: { range: 'month' } });
  // The stream has the shape of the description, which says what this topic tells.
  useLive({ schedules: (data) => put('GET /operations/schedules', {}, data as Found) }, reload);
  return page({
    title: 'Schedules',
    about:
      'Sweeps that run by themselves. A run by hand is beside the schedule, which does not move.',
    actions: liveMark(),
    content: [
      known(schedules, ({ schedules: rows }) => scheduleTable(rows), reload),
      section({
        title: 'What reconcile has repaired',
        isFlush: true,
        content: known(repairs, repairTable, () => refresh('GET /operations/repairs')),
      }),
    ],
  });
}

function scheduleTable(rows: readonly Schedule[]): Part {
  return table({
    caption: 'Schedules',
    rows,
    isLinked: true,
    keyOf: ({ name }) => name,
    columns: [...COLUMNS, may('bootstrap-admin') ? RUN : null],
  });
}

const COLUMNS: readonly Column<Schedule>[] = [
  {
    name: 'Name',
    role: 'main',
    show: ({ name, does }) => twoLines(rowLink(name, link(`/operations/${name}`)), does),
  },
  {
    name: 'Every',
    isNumber: true,
    label: 'every',
    show: (one) => duration(one.every_seconds * 1_000),
  },
  {
    name: 'Last run',
    label: 'last',
    show: ({ last_at, running }) =>
      running ? label({ tone: 'blue', icon: 'half', word: 'running' }) : time(last_at, 'not yet'),
  },
  {
    name: 'Next',
    label: 'next',
    show: ({ next_at, paused }) =>
      paused ? label({ tone: 'grey', icon: 'pause', word: 'paused' }) : due(next_at, 'unknown'),
  },
];

const RUN: Column<Schedule> = {
  name: '',
  role: 'state',
  show: ({ name }) => button({ text: 'Run now', look: 'tiny', run: () => run(name) }),
};

async function run(name: string): Promise<void> {
  const { paused } = await call('POST /operations/schedules/{name}/run', {
    path: { name },
    body: {},
  });
  say(paused ? `${name} is paused: its run waits.` : `${name} runs now.`);
  await reload();
}

function repairTable({ totals }: Repairs): Part {
  if (totals.length === 0) {
    return empty('In the last 30 days no row has lost its job, so nothing had to be sent again.');
  }
  return table({
    caption: 'Rows that lost their job and were sent again, in 30 days',
    rows: totals,
    isLinked: true,
    keyOf: ({ queue }) => queue,
    columns: [
      {
        name: 'Queue',
        role: 'main',
        show: ({ queue }) => rowLink(queue, link(`/operations/${queue}`)),
      },
      { name: 'Rows sent again', isNumber: true, label: 'rows', show: ({ rows }) => count(rows) },
      { name: 'Last', label: 'last', show: ({ last_at }) => time(last_at) },
    ],
    foot: html`<span
      >${plural(totals.length, 'queue')},
      ${countText(totals.reduce((sum, { rows }) => sum + rows, 0))} rows in 30 days. Once after a
      loss of the queue store is normal; all the time is not.</span
    >`,
  });
}
