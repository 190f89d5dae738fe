import { call, type Reply } from '#src/console/web/data/call.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { confirm } from '#src/console/web/parts/dialog.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import { empty, known, notice, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Range } from './ranges.ts';
import { subjectLink } from './subjects.ts';

type Failures = Reply<'GET /operations/queues/{queue}/failures'>;
type Group = Failures['groups'][number];

const FIRST = 10;

const reload = (): Promise<void> =>
  refresh(
    'GET /operations/queues/{queue}/failures',
    'GET /operations/queues/{queue}',
    'GET /operations/queues',
  );

/** What failed, by its reason; a small sample is tried again before all. */
export function failureGroups(queue: string, range: Range): Part {
  return html`<${FailureGroups} queue=${queue} range=${range} />`;
}

function FailureGroups({ queue, range }: { queue: string; range: Range }): Part {
  const failures = useResource('GET /operations/queues/{queue}/failures', {
    path: { queue },
    query: { range },
  });
  return section({
    title: 'Failures by reason',
    isFlush: true,
    content: known(failures, (found) => showGroups(found, queue, range), reload),
  });
}

function showGroups(
  { groups, other_groups: others, retryable, why_not: whyNot }: Failures,
  queue: string,
  range: Range,
): Parts {
  if (groups.length === 0) return empty('Nothing failed for good in this time.');
  return [
    !retryable && whyNot && html`<div class="inset">${notice('grey', whyNot)}</div>`,
    html`<ul class="groups">
      ${groups.map(
        (group) =>
          html`<li key=${group.group}>
            <div class="row apart">
              <strong>${group.message}</strong>
              <span class="row">${retryable && retryButtons(queue, range, group)}</span>
            </div>
            <div class="row small muted">
              <span>${plural(group.count, 'failure')}</span>
              <span>first ${time(group.first_at)}</span>
              <span>last ${time(group.last_at)}</span>
              <span>for example ${subjectLink(group.example.subject)}</span>
            </div>
            <details>
              <summary class="small">The message of the example</summary>
              <pre class="command">${group.example.message}</pre>
            </details>
          </li>`,
      )}
    </ul>`,
    others > 0 && html`<div class="table-foot">and ${plural(others, 'other reason')}</div>`,
  ];
}

function retryButtons(queue: string, range: Range, group: Group): Parts {
  const { count } = group;
  const again = (limit: number, text: string): Part =>
    button({ text, look: 'tiny', run: () => askToRetry(queue, range, group, limit) });
  return [
    again(1, 'Retry one'),
    count > FIRST && again(FIRST, `Retry ${FIRST} first`),
    count > 1 && again(count, `Retry all ${countText(count)}`),
  ];
}

function askToRetry(
  queue: string,
  range: Range,
  { group, count, message }: Group,
  limit: number,
): void {
  confirm({
    title: `Retry in ${queue}`,
    explain: html`${plural(limit, 'row')} of ${countText(count)} that failed with
      <strong>${message}</strong>. Each gets all its attempts again.`,
    action: `Retry ${countText(limit)}`,
    isDangerous: false,
    run: async () => {
      const reply = await call('POST /operations/queues/{queue}/failures/retry', {
        path: { queue },
        body: { range, group, count, limit },
      });
      const skipped =
        reply.skipped > 0
          ? `, ${countText(reply.skipped)} skipped: ${reply.why_skipped.join(' ')}`
          : '';
      say(`${countText(reply.retried)} on the way again, ${countText(reply.left)} left${skipped}.`);
      await reload();
    },
  });
}
