import type { Reply } from '#src/console/web/data/call.ts';
import { linkWith } from '#src/console/web/data/place.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, duration, durationText, plural } from '#src/console/web/parts/number.ts';
import { empty, figures, notice, section } from '#src/console/web/parts/page.ts';
import { pager, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';

type Runs = Reply<'GET /manage/admin/cc-pair/{id}/index-attempts'>;
type Run = Runs['items'][number];

/** What a run does this moment: how far, how fast, and for how long still. */
export function liveRun(run: Run): Part {
  const { estimated_total: total, fetched } = run;
  return section({
    title: run.status === 'not_started' ? 'A run waits for a worker' : 'A run is under way',
    content: html`<div class="stack">
      ${
        run.waiting_for &&
        notice(
          'amber',
          html`${run.waiting_for} ${run.waiting_until && html`Next try ${time(run.waiting_until)}.`}`,
        )
      }
      ${total !== null && total > 0 && progress(Math.min(fetched, total), total)}
      ${figures([
        { name: 'Fetched', value: count(fetched), more: total && `of about ${countText(total)}` },
        {
          name: 'A minute',
          value:
            run.documents_per_minute === null
              ? '–'
              : countText(Math.round(run.documents_per_minute)),
        },
        { name: 'To go', value: timeLeft(run), isWords: true },
        { name: 'New', value: count(run.created) },
        { name: 'Unchanged', value: count(run.unchanged) },
        { name: 'Failed', value: count(run.failed) },
      ])}
      ${run.checkpoint_description && html`<p class="small muted">At ${run.checkpoint_description}</p>`}
    </div>`,
  });
}

function progress(done: number, total: number): Part {
  const share = Math.round((done / total) * 100);
  return html`<div
    class="bar"
    role="progressbar"
    aria-label="Documents fetched"
    aria-valuenow=${share}
    aria-valuemin="0"
    aria-valuemax="100"
  >
    <i style=${{ width: `${share}%` }}></i>
  </div>`;
}

function timeLeft({ estimated_seconds_left: seconds, status }: Run): string {
  if (seconds !== null) return `about ${durationText(seconds * 1_000)}`;
  return status === 'not_started' ? '–' : 'not known';
}

/** Runs, newest first, each with what it brought or why it failed. */
export function runSection({ items, total_items: total }: Runs, at: number, size: number): Part {
  return section({
    title: 'Runs',
    isFlush: true,
    content:
      items.length === 0
        ? empty('Every run will be listed here, with what it brought.')
        : table({
            caption: 'Runs',
            rows: items,
            keyOf: ({ id }) => id,
            columns: [
              {
                name: 'Begun',
                role: 'main',
                show: (run) =>
                  twoLines(
                    html`<span>${time(run.time_started ?? run.time_created)}</span>`,
                    run.error_msg ?? skippedText(run),
                    { matters: run.error_msg !== null },
                  ),
              },
              { name: 'State', role: 'state', show: ({ status }) => badge(status) },
              {
                name: 'Fetched',
                isNumber: true,
                label: 'fetched',
                show: (run) => count(run.fetched),
              },
              { name: 'New', isNumber: true, label: 'new', show: ({ created }) => count(created) },
              {
                name: 'Unchanged',
                isNumber: true,
                role: 'wide',
                show: (run) => count(run.unchanged),
              },
              {
                name: 'Failed',
                isNumber: true,
                label: 'failed',
                show: ({ failed }) => count(failed),
              },
              {
                name: 'Removed',
                isNumber: true,
                role: 'wide',
                show: ({ removed }) => count(removed),
              },
              { name: 'Took', isNumber: true, label: 'took', show: took },
            ],
            foot: numberPager({ name: 'runs', what: plural(total, 'run'), at, size, total }),
          }),
  });
}

function skippedText({ skipped, skip_reasons: reasons, ...run }: Run): string {
  const isWhole = run.from_beginning || run.poll_range_start === null;
  const why = Object.entries(reasons).map(([reason, number]) => `${countText(number)} ${reason}`);
  const scope = isWhole ? 'everything' : 'what has changed';
  return skipped === 0 ? scope : `${scope}; left out: ${why.join(', ') || countText(skipped)}`;
}

function took({ time_started: from, time_finished: to }: Run): Parts {
  return from === null || to === null ? '–' : duration(Date.parse(to) - Date.parse(from));
}

/** The pager of a list whose pages have numbers; the address holds the number. */
export function numberPager(given: {
  name: string;
  what: string;
  at: number;
  size: number;
  total: number;
}): Part {
  const { name, what, at, size, total } = given;
  const isLast = (at + 1) * size >= total;
  return pager({
    count: what,
    firstHref: at > 0 ? linkWith({ [name]: null }) : null,
    nextHref: isLast ? null : linkWith({ [name]: String(at + 1) }),
  });
}
