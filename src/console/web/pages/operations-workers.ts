import type { Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, notice, page } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';

type Found = Reply<'GET /operations/workers'>;
type Worker = Found['workers'][number];

/** Which processes work, and on what? */
export function OperationsWorkers(): Part {
  const workers = useResource('GET /operations/workers');
  useLive({ workers: (data) => put('GET /operations/workers', {}, data as Found) }, () =>
    refresh('GET /operations/workers'),
  );
  return page({
    title: 'Workers',
    about: 'Processes that take jobs. One that has not been heard of for 30 s counts as dead.',
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
      ? empty(
          html`No process with workers has been here. Start one with <code>npm run workers</code>.`,
        )
      : table({
          caption: 'Worker processes',
          rows: workers,
          keyOf: ({ id }) => id,
          columns: [
            {
              name: 'Process',
              role: 'main',
              show: ({ host, pid, version }) =>
                twoLines(html`<span>${host} · ${pid}</span>`, `version ${version}`),
            },
            { name: 'State', role: 'state', show: aliveBadge },
            {
              name: 'Queues',
              label: 'queues',
              show: ({ queues }) =>
                html`<span title=${queues.map(({ name }) => name).join(', ')}
                  >${count(queues.length)}</span
                >`,
            },
            { name: 'Does now', show: doesNow },
            { name: 'Last beat', label: 'beat', show: ({ beat_at }) => time(beat_at) },
            {
              name: 'Started',
              label: 'started',
              role: 'wide',
              show: ({ started_at }) => time(started_at),
            },
          ],
          foot: plural(workers.length, 'process', 'processes'),
        }),
  ];
}

function aliveBadge({ alive }: Worker): Part {
  return alive
    ? label({ tone: 'green', icon: 'check', word: 'alive' })
    : label({ tone: 'red', icon: 'cross', word: 'dead' });
}

function doesNow({ jobs }: Worker): Parts {
  const names = [...new Set(jobs.map(({ queue }) => queue))];
  if (names.length === 0) return html`<span class="muted">nothing</span>`;
  return names.map((name) => html`<a key=${name} href=${link(`/operations/${name}`)}>${name}</a> `);
}
