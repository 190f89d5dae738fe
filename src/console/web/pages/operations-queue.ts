import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { chart, type Line } from '#src/console/web/parts/chart.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, durationText, plural } from '#src/console/web/parts/number.ts';
import {
  empty,
  figures,
  known,
  liveMark,
  notice,
  page,
  section,
} from '#src/console/web/parts/page.ts';
import { table } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { failureGroups } from './operations-failures.ts';
import { queueState } from './operations.ts';
import { chosenRange, rangeTabs } from './ranges.ts';
import { subjectLink } from './subjects.ts';

type Queue = Reply<'GET /operations/queues/{queue}'>;

const reload = (): Promise<void> =>
  refresh(
    'GET /operations/queues/{queue}',
    'GET /operations/queues',
    'GET /operations/queues/{queue}/failures',
  );

/** One queue: how it did, what it does, what failed. */
export function OperationsQueue({ queue = '' }: { queue?: string }): Part {
  const range = chosenRange();
  const given = { path: { queue }, query: { range } };
  const found = useResource('GET /operations/queues/{queue}', given);
  useLive(
    range === 'hour'
      ? {
          [`queue:${queue}`]: (data) => put('GET /operations/queues/{queue}', given, data as Queue),
        }
      : {},
    reload,
  );
  const { data } = found;
  return page({
    title: queue,
    about: data?.does,
    under: { text: 'Operations', href: link('/operations') },
    badge: data && queueState(data),
    width: 'wide',
    actions: [liveMark(), data && pauseButton(data)],
    content: [rangeTabs(), known(found, show, reload), failureGroups(queue, range)],
  });
}

function pauseButton({ name, paused }: Queue): Part {
  if (paused === null) return button({ text: 'Pause', icon: 'pause', run: () => askToPause(name) });
  return button({
    text: 'Resume',
    icon: 'play',
    look: 'primary',
    run: async () => {
      await call('POST /operations/queues/{queue}/resume', { path: { queue: name }, body: {} });
      say(`${name} takes jobs again.`);
      await reload();
    },
  });
}

function askToPause(queue: string): void {
  openDialog({
    title: `Pause ${queue}`,
    content: () =>
      form({
        action: `Pause ${queue}`,
        cancel: closeDialog,
        fields: [
          {
            name: 'reason',
            label: 'Why',
            kind: 'text',
            maxLength: 500,
            help: 'Others see who paused it, when and why. Active jobs finish; no further one is taken.',
          },
        ],
        submit: async ({ reason }) => {
          const body = typeof reason === 'string' ? { reason } : {};
          await call('POST /operations/queues/{queue}/pause', { path: { queue }, body });
          closeDialog();
          say(`${queue} is paused.`);
          await reload();
        },
      }),
  });
}

function show(queue: Queue): Parts {
  const { paused, alarms, settings } = queue;
  return [
    paused &&
      notice(
        'grey',
        html`Paused by ${paused.by.name} ${time(paused.at)}${paused.reason && `: ${paused.reason}`}`,
      ),
    alarms.map(
      ({ id, message, since }) =>
        html`<div key=${id}>${notice('red', html`${message} Since ${time(since)}.`)}</div>`,
    ),
    figures([
      {
        name: 'Oldest',
        value: queue.oldest_seconds === null ? '–' : durationText(queue.oldest_seconds * 1_000),
      },
      { name: 'Waiting', value: count(queue.waiting) },
      { name: 'Active', value: count(queue.active) },
      { name: 'Delayed', value: count(queue.delayed) },
      { name: 'Per minute', value: count(queue.per_minute) },
      { name: 'Failed', value: count(queue.failed) },
      { name: 'Workers', value: count(queue.workers) },
      { name: 'Attempts', value: `at most ${countText(settings.attempts)}`, isWords: true },
    ]),
    charts(queue),
    section({ title: 'What its workers do now', isFlush: true, content: activeJobs(queue) }),
  ];
}

type Point = Queue['history']['points'][number];

function charts({ history: { points } }: Queue): Part {
  const pick = (value: (point: Point) => number | null): (number | null)[] => points.map(value);
  const spread = (of: 'wait_ms' | 'run_ms'): Line[] => [
    { name: 'p50', tone: 'accent', values: pick((point) => point[of]?.p50 ?? null) },
    { name: 'p95', tone: 'amber', values: pick((point) => point[of]?.p95 ?? null) },
  ];
  const oldest = pick(({ oldest_seconds: age }) => (age === null ? null : age * 1_000));
  const drawn: { title: string; show: (value: number) => string; lines: Line[] }[] = [
    {
      title: 'Finished and failed',
      show: countText,
      lines: [
        { name: 'finished', tone: 'accent', isBar: true, values: pick(({ finished }) => finished) },
        { name: 'failed', tone: 'red', values: pick(({ failed }) => failed) },
      ],
    },
    { title: 'Wait until taken', show: durationText, lines: spread('wait_ms') },
    { title: 'Run time', show: durationText, lines: spread('run_ms') },
    {
      title: 'Age of the oldest',
      show: durationText,
      lines: [{ name: 'oldest', tone: 'accent', values: oldest }],
    },
  ];
  const times = points.map(({ at }) => new Date(at).getTime() / 1_000);
  return html`<div class="charts">
    ${drawn.map(
      (one) =>
        html`<div class="box" key=${one.title}>
          <div class="body">${chart({ ...one, times })}</div>
        </div>`,
    )}
  </div>`;
}

function activeJobs({ active_jobs: jobs, active }: Queue): Part {
  if (jobs.length === 0) return empty('Nothing at this second.');
  return table({
    caption: 'Active jobs',
    rows: jobs,
    keyOf: ({ job_id }) => job_id,
    columns: [
      {
        name: 'Works on',
        role: 'main',
        show: ({ subjects }) =>
          html`<span>${subjects.map((subject) => html`${subjectLink(subject)} `)}</span>`,
      },
      { name: 'Since', role: 'state', show: ({ since }) => time(since) },
      { name: 'Attempt', isNumber: true, label: 'attempt', show: ({ attempt }) => count(attempt) },
      { name: 'Job', role: 'wide', show: ({ job_id }) => shortId(job_id) },
      {
        name: 'Request',
        role: 'wide',
        show: ({ request_id }) => (request_id === null ? '–' : shortId(request_id)),
      },
    ],
    foot: `${plural(jobs.length, 'job')} of ${countText(active)}, longest first`,
  });
}
