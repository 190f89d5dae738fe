import { useState } from 'preact/hooks';
import type { Reply } from '#src/console/web/data/call.ts';
import { may } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { known } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { askToDiscard, askToRetry, type Choice } from './operations-failure-actions.ts';
import { resolvedLink } from './subjects.ts';

type Row = Reply<'GET /operations/queues/{queue}/failures/{group}'>['failures'][number];

/** The rows of a group, a page at a time, and the stack of the latest where there is one. */
export function failureRows(choice: Choice, retryable: boolean, stack: string | null): Part {
  return html`<${FailureRows} ...${{ choice, retryable, stack }} />`;
}

function FailureRows({
  choice,
  retryable,
  stack,
}: {
  choice: Choice;
  retryable: boolean;
  stack: string | null;
}): Part {
  const [cursor, setCursor] = useState(0);
  const { queue, range, group } = choice;
  const rows = useResource('GET /operations/queues/{queue}/failures/{group}', {
    path: { queue, group: group ?? '' },
    query: { range, cursor },
  });
  const reload = (): Promise<void> => refresh('GET /operations/queues/{queue}/failures/{group}');
  return html`<div class="stack tight nested">
    ${known(
      rows,
      ({ failures, next_cursor: next }) =>
        table({
          caption: 'Failures with this reason',
          rows: failures,
          keyOf: ({ id }) => id,
          columns: columnsOf(choice, retryable),
          foot: [
            html`<span>${plural(failures.length, 'failure')} on this page</span>`,
            html`<span class="row">
              ${cursor > 0 && button({ text: 'Newest', look: 'tiny', run: () => setCursor(0) })}
              ${next !== null && button({ text: 'Older', look: 'tiny', run: () => setCursor(Number(next)) })}
            </span>`,
          ],
        }),
      reload,
    )}
    ${
      stack !== null &&
      html`<details>
        <summary class="small">Where the latest was thrown</summary>
        <pre class="command">${stack}</pre>
      </details>`
    }
  </div>`;
}

function columnsOf(choice: Choice, retryable: boolean) {
  return [
    {
      name: 'What failed',
      role: 'main' as const,
      show: ({ subject, message }: Row) =>
        twoLines(html`<span>${resolvedLink(subject)}</span>`, message, {
          matters: true,
          wraps: true,
        }),
    },
    {
      name: 'Attempts',
      isNumber: true,
      label: 'attempts',
      show: ({ attempts }: Row) => count(attempts),
    },
    { name: 'When', label: 'failed', show: ({ at }: Row) => time(at) },
    may('bootstrap-admin')
      ? { name: '', role: 'state' as const, show: (row: Row) => rowButtons(choice, row, retryable) }
      : null,
  ];
}

function rowButtons(choice: Choice, { id }: Row, retryable: boolean): Parts {
  const one: Choice = { ...choice, id, count: 1 };
  return html`<span class="row">
    ${retryable && button({ text: 'Retry', look: 'tiny', run: () => askToRetry(one, 1) })}
    ${button({ text: 'Discard', look: 'tiny', run: () => askToDiscard(one) })}
  </span>`;
}
