import type { Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, notice, page, section } from '#src/console/web/parts/page.ts';
import { table } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { resolvedLink } from './subjects.ts';

type Found = Reply<'GET /operations/workers'>;
type Worker = Found['workers'][number];
type Job = Worker['jobs'][number];

/** Which processes work, and on what? */
export function OperationsWorkers(): Part {
  const workers = useResource('GET /operations/workers');
  useLive({ workers: (data) => put('GET /operations/workers', {}, data as Found) }, () =>
    refresh('GET /operations/workers'),
  );
  return page({
    title: 'Workers',
    about:
      'Processes that take jobs, each with its queues and how many jobs of one it does at once. One that has not been heard of for 30 s counts as dead.',
    actions: liveMark(),
    content: known(workers, show, () => refresh('GET /operations/workers')),
  });
}

function show({ workers, unserved }: Found): Parts {
  return [
    unserved.length > 0 &&
      notice(
        'red',
        html`No process serves
          ${unserved.map((name) => html`<a href=${link(`/operations/${name}`)}>${name}</a> `)}.
          Start one: <code>npm run workers -- ${unserved.join(' ')}</code>`,
      ),
    workers.length === 0
      ? html`<div class="box">
          ${empty(
            html`No process with workers has been here. Start one with
              <code>npm run workers</code>.`,
          )}
        </div>`
      : workers.map((worker) => html`<div key=${worker.id}>${workerView(worker)}</div>`),
  ];
}

function workerView(worker: Worker): Part {
  const { host, pid, version, queues, jobs } = worker;
  const active = queues.reduce((sum, queue) => sum + queue.active, 0);
  return section({
    title: `${host} · ${pid}`,
    actions: aliveBadge(worker),
    content: html`<div class="stack">
      <div class="row small muted">
        <span>version ${version}</span>
        <span>started ${time(worker.started_at)}</span>
        <span>last beat ${time(worker.beat_at)}</span>
        <span>${plural(queues.length, 'queue')}</span>
        <span>${plural(active, 'job')} in work</span>
      </div>
      <div class="chips">${queues.map(queueChip)}</div>
      ${jobs.length > 0 && jobTable(jobs)}
    </div>`,
  });
}

function queueChip({ name, active, concurrency }: Worker['queues'][number]): Part {
  return html`<a
    key=${name}
    class=${active > 0 ? 'busy' : ''}
    href=${link(`/operations/${name}`)}
    title="${active} in work, at most ${concurrency} at once"
    >${name} <span class="number muted">${active} of ${concurrency}</span></a
  >`;
}

function jobTable(jobs: readonly Job[]): Part {
  return html`<div class="nested">
    ${table({
      caption: 'Jobs in work',
      rows: jobs,
      keyOf: ({ queue, job_id: id }) => `${queue}/${id}`,
      columns: [
        {
          name: 'Works on',
          role: 'main',
          show: ({ subjects }) =>
            html`<span>
              ${subjects.length === 0 ? 'a run of the schedule' : subjects.map((one) => html`${resolvedLink(one)} `)}
            </span>`,
        },
        { name: 'Since', role: 'state', show: ({ since }) => time(since) },
        {
          name: 'Queue',
          label: 'queue',
          show: ({ queue }) => html`<a href=${link(`/operations/${queue}`)}>${queue}</a>`,
        },
        {
          name: 'Job',
          label: 'job',
          show: ({ queue, job_id: id }) =>
            html`<a href=${link(`/operations/${queue}/jobs/${encodeURIComponent(id)}`)}>${id}</a>`,
        },
        {
          name: 'Attempt',
          isNumber: true,
          label: 'attempt',
          show: ({ attempt }) => count(attempt),
        },
      ],
    })}
  </div>`;
}

function aliveBadge({ alive }: Worker): Part {
  return alive
    ? label({ tone: 'green', icon: 'check', word: 'alive' })
    : label({ tone: 'red', icon: 'cross', word: 'dead' });
}
