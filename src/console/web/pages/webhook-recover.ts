import { call } from '#src/console/web/data/call.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { notice } from '#src/console/web/parts/page.ts';
import { exactText } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';

/** Sends what an endpoint has missed: first counts, then asks. */
export function askToRecover(id: string): void {
  openDialog({
    title: 'Send what was missed',
    content: () =>
      form({
        action: 'Count',
        cancel: closeDialog,
        fields: [
          {
            name: 'since',
            label: 'Missed since',
            kind: 'datetime',
            isRequired: true,
            help: 'Nothing is sent yet: the events are counted first.',
          },
          { name: 'until', label: 'Until', kind: 'datetime', help: 'Empty: until now.' },
        ],
        submit: async ({ since, until }) => {
          const span = { since: String(since), until: typeof until === 'string' ? until : null };
          const { matched } = await call('POST /webhook-endpoints/{id}/recover', {
            path: { id },
            body: { ...span, dry_run: true },
          });
          askToSend(id, span, matched);
        },
      }),
  });
}

function askToSend(
  id: string,
  span: { since: string; until: string | null },
  { failed, missing }: { failed: number; missing: number },
): void {
  const total = failed + missing;
  if (total === 0) {
    openDialog({
      title: 'Nothing was missed',
      content: () => notice('green', `Since ${exactText(span.since)}, every event was delivered.`),
    });
    return;
  }
  confirm({
    title: 'Send what was missed',
    explain: html`${plural(failed, 'delivery', 'deliveries')} given up and
    ${plural(missing, 'event')} never sent since ${exactText(span.since)}.`,
    action: `Send ${plural(total, 'event')}`,
    isDangerous: false,
    run: async () => {
      const { recovered } = await call('POST /webhook-endpoints/{id}/recover', {
        path: { id },
        body: span,
      });
      say(`${plural(recovered, 'event')} on the way.`);
      void refresh('GET /webhook-deliveries', 'GET /webhook-endpoints/{id}');
    },
  });
}
