import { call, type Reply } from '#src/console/web/data/call.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { confirm } from '#src/console/web/parts/dialog.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import { notice } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Pair } from './connector-pair.ts';

type Prune = Reply<'GET /manage/admin/cc-pair/{id}/prune-attempts'>['items'][number];

const reload = (): Promise<void> =>
  refresh('GET /manage/admin/cc-pair/{id}/prune-attempts', 'GET /manage/admin/cc-pair/{id}');

/** What the last comparison with the source does, or waits for. */
export function pruneNotice(pair: Pair, prune: Prune): Part {
  switch (prune.status) {
    case 'not_started':
    case 'in_progress':
      return notice(
        'grey',
        html`The documents are compared with the source: ${countText(prune.listed)} listed so far.
        ${prune.error_msg} ${prune.waiting_until && html`Next try ${time(prune.waiting_until)}.`}`,
      );
    case 'needs_confirmation':
      return notice(
        'amber',
        html`<p>
            The source lists ${countText(prune.gone)} of ${plural(prune.known, 'document')} no more.
            That is more than half, so nothing was removed. Is that right?
          </p>
          ${button({
            text: `Remove ${plural(prune.gone, 'document')}`,
            look: 'tiny',
            run: () => askToConfirm(pair, prune),
          })}`,
      );
    case 'failed':
      return notice(
        'amber',
        html`What is gone at the source could not be found out ${time(prune.time_finished)}:
        ${prune.error_msg}`,
      );
    case 'success':
    case 'canceled':
      return null;
  }
}

function askToConfirm({ id, name }: Pair, prune: Prune): void {
  confirm({
    title: 'Remove what is gone',
    explain: html`<strong>${name}</strong>: ${plural(prune.gone, 'document')} of
      ${countText(prune.known)} can no longer be found by search. The source is not changed.`,
    action: `Remove ${plural(prune.gone, 'document')}`,
    run: async () => {
      await call('POST /manage/admin/cc-pair/{id}/prune', {
        path: { id },
        body: { confirm_prune_attempt_id: prune.id },
      });
      say('They are being removed.');
      await reload();
    },
  });
}

export function askToPrune({ id, name, docs }: Pair): void {
  confirm({
    title: 'Remove what is gone',
    explain: html`The source of <strong>${name}</strong> is asked which of its
      ${plural(docs.indexed, 'document')} it still has; the others are removed from search. If more
      than half of them would go, you are asked again, with the number.`,
    action: `Compare ${plural(docs.indexed, 'document')}`,
    isDangerous: false,
    run: async () => {
      await call('POST /manage/admin/cc-pair/{id}/prune', { path: { id }, body: {} });
      say('The comparison begins.');
      await reload();
    },
  });
}
