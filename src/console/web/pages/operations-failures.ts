import { useState } from 'preact/hooks';
import type { Reply } from '#src/console/web/data/call.ts';
import { may } from '#src/console/web/data/session.ts';
import { useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import { empty, known, notice, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import {
  askToDiscard,
  askToRetry,
  type Choice,
  reloadFailures,
} from './operations-failure-actions.ts';
import { failureRows } from './operations-failure-rows.ts';
import type { Range } from './ranges.ts';

type Failures = Reply<'GET /operations/queues/{queue}/failures'>;
type Group = Failures['groups'][number];

const FIRST = 10;

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
    actions: failures.data && ofQueue(failures.data, queue, range),
    content: known(failures, (found) => showGroups(found, queue, range), reloadFailures),
  });
}

/** All of the queue at once, where that is more than one group. */
function ofQueue({ total, groups, retryable }: Failures, queue: string, range: Range): Parts {
  if (groups.length < 2 || !may('bootstrap-admin')) return null;
  const all: Choice = { queue, range, group: null, id: null, count: total, message: null };
  return [
    retryable &&
      button({
        text: `Retry all ${countText(total)} of this queue`,
        look: 'tiny',
        run: () => askToRetry(all, total),
      }),
    button({
      text: `Discard all ${countText(total)}`,
      look: 'tiny',
      run: () => askToDiscard(all),
    }),
  ];
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
      ${groups.map((group) => html`<${GroupView} key=${group.group} ...${{ group, queue, range, retryable }} />`)}
    </ul>`,
    others > 0 && html`<div class="table-foot">and ${plural(others, 'other reason')}</div>`,
  ];
}

function GroupView({
  group,
  queue,
  range,
  retryable,
}: {
  group: Group;
  queue: string;
  range: Range;
  retryable: boolean;
}): Part {
  const [isOpen, setOpen] = useState(false);
  const { count, message, example } = group;
  const choice: Choice = { queue, range, group: group.group, id: null, count, message };
  return html`<li>
    <div class="row apart">
      <strong>${message === '' ? 'without a message' : message}</strong>
      <span class="row">${may('bootstrap-admin') && groupButtons(choice, retryable)}</span>
    </div>
    <div class="row small muted">
      <span>${plural(count, 'failure')}</span>
      <span>first ${time(group.first_at)}</span>
      <span>last ${time(group.last_at)}</span>
    </div>
    <details
      onToggle=${(event: Event) => {
        if (event.target instanceof HTMLDetailsElement) setOpen(event.target.open);
      }}
    >
      <summary class="small">
        ${count === 1 ? 'Show it' : `Show ${count > 50 ? 'them' : `all ${count}`}`}
      </summary>
      ${isOpen && failureRows(choice, retryable, example.stack)}
    </details>
  </li>`;
}

function groupButtons(choice: Choice, retryable: boolean): Parts {
  const { count } = choice;
  const again = (limit: number, text: string): Part =>
    button({ text, look: 'tiny', run: () => askToRetry(choice, limit) });
  return [
    retryable && [
      again(1, count === 1 ? 'Retry' : 'Retry one'),
      count > FIRST && again(FIRST, `Retry ${FIRST} first`),
      count > 1 && again(count, `Retry all ${countText(count)}`),
    ],
    button({
      text: count === 1 ? 'Discard' : `Discard ${countText(count)}`,
      look: 'tiny',
      run: () => askToDiscard(choice),
    }),
  ];
}
