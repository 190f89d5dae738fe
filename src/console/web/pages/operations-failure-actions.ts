import { call } from '#src/console/web/data/call.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { confirm } from '#src/console/web/parts/dialog.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Range } from './ranges.ts';

/** What a press is about: one failure, a group, or all of a queue in the chosen time. */
export interface Choice {
  readonly queue: string;
  readonly range: Range;
  readonly group: string | null;
  readonly id: string | null;
  /** How many there are, as seen. */
  readonly count: number;
  /** What they say; null for all of a queue. */
  readonly message: string | null;
}

/** Reads again what failed. */
export const reloadFailures = (): Promise<void> =>
  refresh(
    'GET /operations/queues/{queue}/failures',
    'GET /operations/queues/{queue}/failures/{group}',
    'GET /operations/queues/{queue}',
    'GET /operations/queues',
  );

/** Says the count and asks once. The service does nothing when there are more by now. */
export function askToRetry(choice: Choice, limit: number): void {
  const { queue, count } = choice;
  confirm({
    title: `Retry in ${queue}`,
    explain: html`${plural(limit, 'row')} of ${countText(count)} ${whatOf(choice)}. Each gets all
    its attempts again.`,
    action: `Retry ${countText(limit)}`,
    isDangerous: false,
    run: async () => {
      const reply = await call('POST /operations/queues/{queue}/failures/retry', {
        path: { queue },
        body: { ...bodyOf(choice), limit },
      });
      const skipped =
        reply.skipped > 0
          ? `, ${countText(reply.skipped)} skipped: ${reply.why_skipped.join(' ')}`
          : '';
      say(`${countText(reply.retried)} on the way again, ${countText(reply.left)} left${skipped}.`);
      await reloadFailures();
    },
  });
}

export function askToDiscard(choice: Choice): void {
  const { queue, count } = choice;
  confirm({
    title: `Discard failures of ${queue}`,
    explain: html`${plural(count, 'failure')} ${whatOf(choice)}. They no longer count here. Their
    owners still see them, and one that fails again is listed again.`,
    action: `Discard ${plural(count, 'failure')}`,
    run: async () => {
      const { discarded, left } = await call('POST /operations/queues/{queue}/failures/discard', {
        path: { queue },
        body: bodyOf(choice),
      });
      say(`${plural(discarded, 'failure')} discarded, ${countText(left)} left.`);
      await reloadFailures();
    },
  });
}

function whatOf({ message, id, queue }: Choice): Part {
  if (message === null) return `of ${queue} in the chosen time, whatever they say`;
  const which = id === null ? '' : ` (${id})`;
  return html`that failed with <strong>${message}</strong>${which}`;
}

function bodyOf({ range, group, id, count }: Choice) {
  return { range, group: id === null ? group : null, id, count };
}
