import type { Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { label, type Tone } from '#src/console/web/parts/badge.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon, type IconName } from '#src/console/web/parts/icon.ts';
import { durationText } from '#src/console/web/parts/number.ts';
import { facts, known, liveMark, page, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import { resolvedLink } from './subjects.ts';

type Job = Reply<'GET /operations/queues/{queue}/jobs/{job_id}'>;
type Event = Job['events'][number];

const reload = (): Promise<void> => refresh('GET /operations/queues/{queue}/jobs/{job_id}');

/** One job: what it is about, and what happened to it. */
export function OperationsJob({ queue = '', id = '' }: { queue?: string; id?: string }): Part {
  const given = { path: { queue, job_id: id } };
  const job = useResource('GET /operations/queues/{queue}/jobs/{job_id}', given);
  const take = (told: unknown): void =>
    put('GET /operations/queues/{queue}/jobs/{job_id}', given, told as Job);
  useLive({ [`job:${queue}/${id}`]: take }, reload);
  const { data } = job;
  return page({
    title: `Job ${id}`,
    under: { text: queue, href: link(`/operations/${queue}`) },
    badge: data && jobBadge(data.state),
    actions: data && liveMark(),
    content: known(job, show, reload, {
      text: `Jobs of ${queue}`,
      href: link(`/operations/${queue}/jobs`),
    }),
  });
}

const LOOKS: Readonly<Record<Job['state'], { tone: Tone; icon: IconName }>> = {
  waiting: { tone: 'blue', icon: 'wait' },
  active: { tone: 'blue', icon: 'half' },
  delayed: { tone: 'grey', icon: 'clock' },
  failed: { tone: 'red', icon: 'cross' },
  completed: { tone: 'green', icon: 'check' },
  unknown: { tone: 'grey', icon: 'dot' },
};

export function jobBadge(state: Job['state']): Part {
  return label({ ...LOOKS[state], word: state });
}

function show(job: Job): Parts {
  return [
    html`<div class="box">
      <div class="body">
        ${facts([
          ['Works on', worksOn(job)],
          ['Attempts', `${job.attempts} of at most ${job.max_attempts}`],
          ['Added', time(job.added_at)],
          job.due_at === job.added_at ? null : ['Due', time(job.due_at)],
          [
            'Request',
            job.request_id === null
              ? 'none: it runs by a schedule or was sent again'
              : shortId(job.request_id, 'request id'),
          ],
          job.trace_id === null ? null : ['Trace', shortId(job.trace_id, 'trace id')],
        ])}
      </div>
    </div>`,
    section({
      title: 'What happened',
      content: html`<ol class="timeline">
        ${job.events.map((event, index) => eventLine(event, index))}
      </ol>`,
    }),
    section({
      title: 'Payload',
      content: html`<pre class="command">${JSON.stringify(job.payload, null, 2)}</pre>`,
    }),
  ];
}

function worksOn({ subjects }: Job): Parts {
  if (subjects.length === 0) return html`<span class="muted">nothing that has a row</span>`;
  return subjects.map((subject) => html`${resolvedLink(subject)} `);
}

const WORDS: Readonly<Record<Event['kind'], { icon: IconName; word: (event: Event) => string }>> = {
  added: { icon: 'plus', word: () => 'Added to the queue' },
  due: { icon: 'clock', word: () => 'Due' },
  attempt: { icon: 'cross', word: ({ attempt }) => `Attempt ${attempt ?? ''} failed` },
  interrupted: {
    icon: 'stop',
    word: ({ attempt }) =>
      `Attempt ${attempt ?? ''} was interrupted by a restart; it does not count`,
  },
  taken: { icon: 'half', word: ({ attempt }) => `Attempt ${attempt ?? ''} is running` },
  completed: { icon: 'check', word: ({ attempt }) => `Attempt ${attempt ?? ''} finished` },
  failed: { icon: 'warning', word: () => 'Given up' },
};

function eventLine(event: Event, index: number): Part {
  const { at, kind, duration_ms: took, error, stack } = event;
  const { icon: name, word } = WORDS[kind];
  return html`<li key=${index}>
    ${icon(name)}
    <div class="row apart">
      <strong>${word(event)}</strong>
      <span class="small muted">
        ${took !== null && `after ${durationText(took)}, `}${at === null ? 'time not known' : time(at)}
      </span>
    </div>
    ${error !== null && html`<p>${error}</p>`}
    ${
      stack !== null &&
      html`<details>
        <summary class="small">Where it was thrown</summary>
        <pre class="command">${stack}</pre>
      </details>`
    }
  </li>`;
}
