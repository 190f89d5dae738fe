import { call, type Reply } from '#src/console/web/data/call.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Field, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { known, section } from '#src/console/web/parts/page.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Pair } from './connector-pair.ts';

type DocumentSet = Reply<'GET /manage/document-set'>[number];

const reload = (): Promise<void> => refresh('GET /manage/document-set');

/** The document sets that this connector is in. */
export function setSection(pair: Pair): Part {
  return html`<${Sets} key="sets" pair=${pair} />`;
}

function Sets({ pair }: { pair: Pair }): Part {
  const sets = useResource('GET /manage/document-set');
  return section({
    title: 'Document sets',
    actions:
      sets.data &&
      button({ text: 'Change', look: 'tiny', run: () => askForSets(pair, sets.data ?? []) }),
    content: known(
      sets,
      (all) => {
        const own = all.filter((set) => has(set, pair));
        return own.length === 0
          ? html`<p class="muted">
              In none. A search or a question may be restricted to a set of connectors.
            </p>`
          : html`<ul class="plain-list stack">
              ${own.map(
                (set) =>
                  html`<li key=${set.id}>
                    <strong>${set.name}</strong>
                    <span class="muted"> ${plural(set.cc_pair_summaries.length, 'connector')}</span>
                    ${set.description && html`<div class="small muted">${set.description}</div>`}
                  </li>`,
              )}
            </ul>`;
      },
      reload,
    ),
  });
}

function askForSets(pair: Pair, sets: readonly DocumentSet[]): void {
  openDialog({
    title: 'Document sets',
    content: () =>
      form({
        action: 'Save',
        cancel: closeDialog,
        fields: setFields(pair, sets),
        submit: (values) => save(pair, sets, values),
      }),
  });
}

function setFields(pair: Pair, sets: readonly DocumentSet[]): Field[] {
  const choice: Field = {
    name: 'sets',
    label: `${pair.name} is in`,
    kind: 'many',
    value: sets.filter((set) => has(set, pair)).map(({ id }) => String(id)),
    options: sets.map((set) => ({
      value: String(set.id),
      text: set.name,
      ...(isOnlyOne(set, pair) && {
        help: 'Nothing else is in it: without it the set is deleted.',
      }),
    })),
  };
  const made: Field = { name: 'new_set', label: 'And in a new set', kind: 'text', maxLength: 200 };
  return sets.length === 0 ? [{ ...made, label: 'New set', isRequired: true }] : [choice, made];
}

async function save(pair: Pair, sets: readonly DocumentSet[], values: Values): Promise<void> {
  const chosen: readonly unknown[] = Array.isArray(values['sets']) ? values['sets'] : [];
  for (const set of sets) {
    const isWanted = chosen.includes(String(set.id));
    if (isWanted !== has(set, pair)) await (isWanted ? join(set, pair) : leave(set, pair));
  }
  const name = values['new_set'];
  if (typeof name === 'string') {
    await call('POST /manage/admin/document-set', { body: { name, cc_pair_ids: [pair.id] } });
  }
  closeDialog();
  say('The document sets are saved.');
  await reload();
}

function join(set: DocumentSet, { id }: Pair): Promise<unknown> {
  return call('PATCH /manage/admin/document-set', {
    body: { id: set.id, cc_pair_ids: [...pairsOf(set), id] },
  });
}

function leave(set: DocumentSet, pair: Pair): Promise<unknown> {
  if (isOnlyOne(set, pair)) {
    return call('DELETE /manage/admin/document-set/{id}', { path: { id: set.id } });
  }
  const others = pairsOf(set).filter((other) => other !== pair.id);
  return call('PATCH /manage/admin/document-set', { body: { id: set.id, cc_pair_ids: others } });
}

function has(set: DocumentSet, { id }: Pair): boolean {
  return pairsOf(set).includes(id);
}

function isOnlyOne(set: DocumentSet, pair: Pair): boolean {
  return has(set, pair) && set.cc_pair_summaries.length === 1;
}

function pairsOf({ cc_pair_summaries: pairs }: DocumentSet): number[] {
  return pairs.map(({ id }) => id);
}
