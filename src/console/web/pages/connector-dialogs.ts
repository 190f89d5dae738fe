import { call } from '#src/console/web/data/call.ts';
import { go } from '#src/console/web/data/place.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Values } from '#src/console/web/parts/form.ts';
import { html } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { fieldsOf, objectFrom } from '#src/console/web/parts/schema-fields.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Kind } from './connectors.ts';
import { type Pair, reloadConnector } from './connector-pair.ts';
import { chosenCredential, credentialFields, withCredential } from './connector-credential.ts';
import { SETTINGS } from './connector-new.ts';
import { frequencyField, secondsOf } from './frequency.ts';

/** Its name, its settings, and how often it is read. */
export function askToChange(pair: Pair, kind: Kind): void {
  const { connector } = pair;
  openDialog({
    title: 'Change a connector',
    isWide: true,
    content: () =>
      form({
        action: 'Save',
        cancel: closeDialog,
        fields: [
          { name: 'new_name', label: 'Name', kind: 'text', isRequired: true, value: pair.name },
          ...settingFields(pair, kind),
          frequencyField('refresh_freq', 'Look for changes', connector.refresh_freq),
          frequencyField('prune_freq', 'Remove what is gone at the source', connector.prune_freq),
        ],
        submit: async (values) => {
          await change(pair, kind, values);
          closeDialog();
          say('The connector is saved.');
          await reloadConnector();
        },
      }),
  });
}

function settingFields({ connector }: Pair, kind: Kind) {
  // Files are stored already; which ones is not changed here.
  const fields = fieldsOf(kind.settings, SETTINGS, connector.connector_specific_config);
  return fields.filter((field) => field.kind !== 'files');
}

async function change(pair: Pair, kind: Kind, values: Values): Promise<void> {
  const path = { id: pair.id };
  const { connector } = pair;
  const name = String(values['new_name']);
  if (name !== pair.name) {
    await call('PUT /manage/admin/cc-pair/{id}/name', { path, query: { new_name: name } });
  }
  const settings = changedSettings(pair, kind, values);
  if (!isSame(settings, connector.connector_specific_config)) {
    await call('PATCH /manage/admin/connector/{id}', {
      path: { id: connector.id },
      body: {
        name: connector.name,
        source: connector.source,
        input_type: 'poll',
        access_type: connector.access_type.toLowerCase() === 'private' ? 'private' : 'public',
        connector_specific_config: settings,
        refresh_freq: connector.refresh_freq,
        prune_freq: connector.prune_freq,
        indexing_start: connector.indexing_start,
      },
    });
  }
  const times = [
    ['refresh_frequency', secondsOf(values['refresh_freq']), connector.refresh_freq],
    ['pruning_frequency', secondsOf(values['prune_freq']), connector.prune_freq],
  ] as const;
  for (const [property, value, before] of times) {
    // The change of settings turns "never" into a week.
    if (value === before && value !== null) continue;
    await call('PUT /manage/admin/cc-pair/{id}/property', {
      path,
      body: { name: property, value },
    });
  }
}

/** What the form does not show stays as it is. */
function changedSettings(pair: Pair, kind: Kind, values: Values): Record<string, unknown> {
  const shown = new Set(
    settingFields(pair, kind).map(({ name }) => name.slice(SETTINGS.length + 1)),
  );
  const kept = Object.entries(pair.connector.connector_specific_config).filter(
    ([key]) => !shown.has(key),
  );
  return { ...Object.fromEntries(kept), ...objectFrom(kind.settings, SETTINGS, values) };
}

/** Whether two settings say the same; what is empty counts as left out. */
function isSame(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  const text = (value: Record<string, unknown>): string =>
    JSON.stringify(
      Object.entries(value)
        .filter(([, entry]) => entry !== null && entry !== '')
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return text(one) === text(other);
}

/** Another credential, or a new one for a secret that has changed. The source is asked before. */
export async function askForCredential(pair: Pair, kind: Kind): Promise<void> {
  const credentials = await call('GET /manage/admin/credential');
  const fields = credentialFields(kind, credentials);
  openDialog({
    title: 'Other credential',
    content: () =>
      fields.length === 0
        ? html`<p>${kind.title} needs no credential.</p>`
        : form({
            action: 'Check and use it',
            cancel: closeDialog,
            fields,
            submit: async (values) => {
              const chosen = chosenCredential(kind, values);
              await withCredential(kind, chosen, pair.name, (id) =>
                call('PUT /manage/admin/credential/swap', {
                  body: { connector_id: pair.connector.id, new_credential_id: id },
                }),
              );
              closeDialog();
              say('The source takes it.');
              await reloadConnector();
            },
          }),
  });
}

export function askToDelete({ name, docs, connector, credential }: Pair): void {
  const documents = plural(docs.indexed, 'document');
  confirm({
    title: 'Delete a connector',
    explain: html`<strong>${name}</strong> and its ${documents}, as far as no other connector has
      them. The source is not changed, and the credential stays.`,
    action: `Delete 1 connector and ${documents}`,
    run: async () => {
      await call('POST /manage/admin/deletion-attempt', {
        body: { connector_id: connector.id, credential_id: credential.id },
      });
      void refresh('GET /manage/admin/connector/status');
      say('The connector is being deleted.');
      go('/connectors');
    },
  });
}
