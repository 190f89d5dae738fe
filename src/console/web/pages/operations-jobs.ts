import { useLive } from '#src/console/web/data/live.ts';
import type { Reply } from '#src/console/web/data/call.ts';
import { link, linkWith, query } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, page } from '#src/console/web/parts/page.ts';
import { pager, rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { jobBadge } from './operations-job.ts';
import { resolvedLink } from './subjects.ts';

type Found = Reply<'GET /operations/queues/{queue}/jobs'>;
type Job = Found['jobs'][number];

const STATES = ['active', 'waiting', 'delayed', 'failed', 'completed'] as const;
const reload = (): Promise<void> => refresh('GET /operations/queues/{queue}/jobs');

/** The jobs of a queue in a state, as its store has them. */
export function OperationsJobs({ queue = '' }: { queue?: string }): Part {
  const state = STATES.find((one) => one === query.value.get('state')) ?? 'active';
  const cursor = query.value.get('cursor');
  const jobs = useResource('GET /operations/queues/{queue}/jobs', {
    path: { queue },
    query: { state, cursor: cursor === null ? null : Number(cursor) },
  });
  // It tells the figures of the queue, which change with its jobs.
  useLive({ [`queue:${queue}`]: () => void reload() }, reload);
  return page({
    title: 'Jobs',
    about:
      'A job only says which rows to look at. Finished ones are kept for an hour, failed ones for a week.',
    actions: liveMark(),
    under: { text: queue, href: link(`/operations/${queue}`) },
    content: [stateTabs(state), known(jobs, (found) => jobTable(found, queue), reload)],
  });
}

function stateTabs(chosen: string): Part {
  return html`<nav class="tabs" aria-label="State">
    ${STATES.map(
      (state) =>
        html`<a
          key=${state}
          href=${linkWith({ state: state === 'active' ? null : state, cursor: null })}
          aria-current=${state === chosen ? 'page' : null}
          >${state}</a
        >`,
    )}
  </nav>`;
}

function jobTable({ jobs, total, state, next_cursor: next }: Found, queue: string): Part {
  if (jobs.length === 0) return html`<div class="box">${empty(`No job is ${state}.`)}</div>`;
  return table<Job>({
    caption: `Jobs that are ${state}`,
    rows: jobs,
    keyOf: ({ job_id }) => job_id,
    columns: [
      {
        name: 'Job',
        role: 'main',
        show: ({ job_id: id, error, subjects }) =>
          twoLines(
            rowLink(id, link(`/operations/${queue}/jobs/${encodeURIComponent(id)}`)),
            error !== null && state === 'failed'
              ? error
              : subjects.map((subject) => html`${resolvedLink(subject)} `),
            { matters: true },
          ),
      },
      { name: 'State', role: 'state', show: (job) => jobBadge(job.state) },
      {
        name: 'Attempts',
        isNumber: true,
        label: 'attempts',
        show: ({ attempts }) => count(attempts),
      },
      { name: 'Added', label: 'added', show: ({ added_at }) => time(added_at) },
      { name: 'Due', label: 'due', role: 'wide', show: ({ due_at }) => time(due_at) },
      { name: 'Ended', label: 'ended', show: ({ finished_at }) => time(finished_at) },
    ],
    foot: pager({
      count: `${plural(total, 'job')}`,
      firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
      nextHref: next && linkWith({ cursor: next }),
      words: { first: 'First', next: 'Next' },
    }),
  });
}
