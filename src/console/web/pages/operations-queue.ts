import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { button, linkButton } from '#src/console/web/parts/button.ts';
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
import { chosenRange, type Range, rangeTabs } from './ranges.ts';
import { resolvedLink } from './subjects.ts';

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
  const { data, problem } = found;
  if (data === null && problem?.status === 404) return nowhere(problem.message);
  return page({
    title: queue,
    about: data?.does,
    under: { text: 'Operations', href: link('/operations') },
    badge: data && queueState(data),
    width: 'wide',
    actions: [liveMark(), data && may('bootstrap-admin') && pauseButton(data)],
    content: [rangeTabs(), known(found, (queueFound) => show(queueFound, range), reload)],
  });
}

function nowhere(sentence: string): Part {
  return page({
    title: 'Queue',
    content: html`<div class="box">
      ${empty(sentence, linkButton('All queues', link('/operations')))}
    </div>`,
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

/** What is wrong comes first; without it, the charts. */
function show(queue: Queue, range: Range): Parts {
  const failures = html`<div key="failures">${failureGroups(queue.name, range)}</div>`;
  const isFailing = queue.failed > 0;
  return [
    trouble(queue),
    standing(queue),
    isFailing && failures,
    charts(queue),
    section({
      title: 'What its workers do now',
      isFlush: true,
      actions: jobLinks(queue),
      content: activeJobs(queue),
    }),
    !isFailing && failures,
  ];
}

function trouble({ paused, alarms }: Queue): Parts {
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
  ];
}

function standing(queue: Queue): Part {
  const p95 = (of: Queue['wait_ms']): string => (of === null ? '–' : durationText(of.p95));
  const oldest = queue.oldest_seconds;
  const failed = count(queue.failed);
  return figures([
    { name: 'Oldest', value: oldest === null ? '–' : durationText(oldest * 1_000) },
    { name: 'Waiting', value: count(queue.waiting) },
    { name: 'Active', value: count(queue.active) },
    { name: 'Delayed', value: count(queue.delayed) },
    { name: 'Workers', value: count(queue.workers) },
    { name: 'Per minute', value: count(queue.per_minute) },
    { name: 'Failures a minute', value: count(queue.failures_per_minute) },
    { name: 'Failed', value: queue.failed > 0 ? html`<span class="bad">${failed}</span>` : failed },
    { name: 'Wait p95', value: p95(queue.wait_ms) },
    { name: 'Run p95', value: p95(queue.run_ms) },
  ]);
}

type Point = Queue['history']['points'][number];

function charts({ history: { points } }: Queue): Part {
  const drawn = drawnOf(points);
  if (drawn.length === 0) {
    return html`<div class="box">${empty('Nothing was attempted in this time.')}</div>`;
  }
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

/** Charts with at least one value. A line of failures is drawn when there are any. */
function drawnOf(points: readonly Point[]) {
  const pick = (value: (point: Point) => number | null): (number | null)[] => points.map(value);
  const spread = (of: 'wait_ms' | 'run_ms'): Line[] => [
    { name: 'p50', tone: 'accent', values: pick((point) => point[of]?.p50 ?? null) },
    { name: 'p95', tone: 'amber', values: pick((point) => point[of]?.p95 ?? null) },
  ];
  const attempts: Line[] = [
    { name: 'finished', tone: 'accent', isBar: true, values: pick(({ finished }) => finished) },
    { name: 'tried again', tone: 'amber', isBar: true, values: pick(bad) },
    { name: 'failed for good', tone: 'red', isBar: true, values: pick(({ failed }) => failed) },
  ];
  const oldest = pick(({ oldest_seconds: age }) => (age === null ? null : age * 1_000));
  return [
    { title: 'Attempts', show: countText, lines: attempts.filter(isDrawn) },
    { title: 'Wait until taken', show: durationText, lines: spread('wait_ms') },
    { title: 'Run time', show: durationText, lines: spread('run_ms') },
    {
      title: 'Age of the oldest',
      show: durationText,
      lines: [{ name: 'oldest', tone: 'accent' as const, values: oldest }],
    },
  ].filter(({ lines }) => lines.some(isDrawn));
}

/** Drawn behind those that failed for good, so that both together are as high as all that went wrong. */
function bad({ failed, retried }: Point): number {
  return retried === 0 ? 0 : failed + retried;
}

function isDrawn({ values }: Line): boolean {
  return values.some((value) => value !== null && value > 0);
}

/** What the service kept of jobs, and the dashboard of raw jobs for whoever may use it. */
function jobLinks({ name }: Queue): Parts {
  return [
    linkButton('Jobs by state', link(`/operations/${name}/jobs`), 'tiny'),
    may('bootstrap-admin') &&
      html`<a
        class="button tiny"
        href=${`/admin/queues/queue/${name}`}
        target="_blank"
        rel="noopener"
        >Raw jobs</a
      >`,
  ];
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
          html`<span
            >${subjects.length === 0 ? 'a run of the schedule' : subjects.map((subject) => html`${resolvedLink(subject)} `)}</span
          >`,
      },
      { name: 'Since', role: 'state', show: ({ since }) => time(since) },
      { name: 'Attempt', isNumber: true, label: 'attempt', show: ({ attempt }) => count(attempt) },
      {
        name: 'Job',
        label: 'job',
        show: ({ queue, job_id: id }) =>
          html`<a href=${link(`/operations/${queue}/jobs/${encodeURIComponent(id)}`)}>${id}</a>`,
      },
      {
        name: 'Request',
        role: 'wide',
        show: ({ request_id }) => (request_id === null ? '–' : shortId(request_id)),
      },
    ],
    foot: `${plural(jobs.length, 'job')} of ${countText(active)}, longest first`,
  });
}
