import { useState } from 'preact/hooks';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { query, whole } from '#src/console/web/data/place.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { confirm } from '#src/console/web/parts/dialog.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { chosenFilter } from './documents-filters.ts';

type Document = Reply<'GET /service-api/ingestion'>['documents'][number];
type Change = 'POST /documents/retry' | 'POST /documents/delete';

/** Most that one request takes. */
const AT_ONCE = 1_000;

export interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (ids: ReadonlySet<string>) => void;
}

/** The rows that somebody has chosen; of another page of the list, or by other filters, none are. */
export function useChoice(): Choice {
  const at = whole.value;
  const [held, hold] = useState<{ at: string; ids: ReadonlySet<string> }>({ at, ids: new Set() });
  return {
    chosen: held.at === at ? held.ids : new Set(),
    choose: (ids) => hold({ at, ids }),
  };
}

/** What can be done with the rows that are chosen; nothing while none is. */
export function chosenBar(given: {
  chosen: readonly Document[];
  /** Whether more documents match than the page shows. */
  hasMore: boolean;
  choice: Choice;
}): Part {
  const { chosen, hasMore, choice } = given;
  if (chosen.length === 0) return null;
  const failed = chosen.filter(({ status }) => status === 'failed');
  const clear = (): void => choice.choose(new Set());
  return html`<div class="chosen-bar" role="region" aria-label="Chosen documents">
    <strong role="status">${plural(chosen.length, 'document')} chosen</strong>
    ${button({
      text: failed.length === 0 ? 'Try again' : `Try ${failed.length} again`,
      icon: 'retry',
      look: 'tiny',
      whyNot: failed.length === 0 ? 'None of them has failed.' : null,
      run: () => retryThese(failed, clear),
    })}
    ${button({ text: `Delete ${chosen.length} …`, icon: 'bin', look: 'danger tiny', run: () => askToDeleteThese(chosen, clear) })}
    ${hasMore && button({ text: 'Delete all that match …', look: 'tiny', run: () => askToDeleteMatching(clear) })}
    ${button({ text: 'Choose none', look: 'tiny', run: clear })}
  </div>`;
}

/** While only failed ones are shown. */
export function retryAllButton(): Part {
  return (
    query.value.get('status') === 'failed' &&
    button({ text: 'Try all again …', icon: 'retry', look: 'tiny', run: askToRetryMatching })
  );
}

async function retryThese(failed: readonly Document[], done: () => void): Promise<void> {
  const { count } = await call('POST /documents/retry', { body: { document_ids: idsOf(failed) } });
  tellRetried(count, failed.length);
  done();
  await reload();
}

function askToDeleteThese(chosen: readonly Document[], done: () => void): void {
  const [first] = chosen;
  confirm({
    title: 'Delete documents',
    explain:
      chosen.length === 1
        ? html`<strong>${first?.semantic_identifier}</strong> is gone from search at once.
            ${COMES_BACK}`
        : html`${plural(chosen.length, 'document')}, among them
            <strong>${first?.semantic_identifier}</strong>, are gone from search at once.
            ${COMES_BACK}`,
    action: `Delete ${plural(chosen.length, 'document')}`,
    run: async () => {
      const body = { document_ids: idsOf(chosen) };
      const { count } = await call('POST /documents/delete', { body });
      tellDeleted(count, chosen.length);
      done();
      await reload();
    },
  });
}

const COMES_BACK = 'A connector brings back what is still at its source.';

/** The service counts before anything happens, and no more than the count is taken. */
async function askToDeleteMatching(done: () => void): Promise<void> {
  const { deletable, documents } = await call('GET /documents/count', { query: chosenFilter() });
  confirm({
    title: 'Delete all that match',
    explain: html`${plural(deletable, 'document')} ${deletable === 1 ? 'is' : 'are'} gone from
    search at
    once${deletable < documents && `; ${documents - deletable} more match that are being deleted or belong to others`}.
    ${COMES_BACK}`,
    action: `Delete ${plural(deletable, 'document')}`,
    run: async () => {
      tellDeleted(await changeMatching('POST /documents/delete', deletable), deletable);
      done();
      await reload();
    },
  });
}

async function askToRetryMatching(): Promise<void> {
  const { retryable } = await call('GET /documents/count', { query: chosenFilter() });
  confirm({
    title: 'Try all again',
    explain: html`${plural(retryable, 'failed document')} that
    ${retryable === 1 ? 'matches' : 'match'} the filters ${retryable === 1 ? 'is' : 'are'} indexed
    anew. Mend the reason first: it stands below each title.`,
    action: `Try ${plural(retryable, 'document')} again`,
    isDangerous: false,
    run: async () => {
      tellRetried(await changeMatching('POST /documents/retry', retryable), retryable);
      await reload();
    },
  });
}

/** In steps, the oldest first: what has come since the count is left alone. */
async function changeMatching(change: Change, counted: number): Promise<number> {
  const matching = chosenFilter();
  let done = 0;
  while (done < counted) {
    const limit = Math.min(AT_ONCE, counted - done);
    const { count } = await call(change, { body: { matching, limit } });
    if (count === 0) break;
    done += count;
  }
  return done;
}

function tellRetried(count: number, wanted: number): void {
  say(
    `${plural(count, 'document is', 'documents are')} being indexed again.${leftAlone(count, wanted)}`,
  );
}

function tellDeleted(count: number, wanted: number): void {
  say(`${plural(count, 'document is', 'documents are')} deleted.${leftAlone(count, wanted)}`);
}

function leftAlone(count: number, wanted: number): string {
  const left = wanted - count;
  return left > 0
    ? ` ${plural(left, 'other was', 'others were')} left: gone by now, or not yours to change.`
    : '';
}

function idsOf(documents: readonly Document[]): string[] {
  return documents.map(({ document_id }) => document_id);
}

function reload(): Promise<void> {
  return refresh(
    'GET /service-api/ingestion',
    'GET /service-api/ingestion/stats',
    'GET /documents/filters',
  );
}
