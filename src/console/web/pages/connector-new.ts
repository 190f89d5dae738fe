import { useState } from 'preact/hooks';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { filter, go, link, linkWith, query } from '#src/console/web/data/place.ts';
import { ApiProblem, toProblem } from '#src/console/web/data/problem.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { form, type Field, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { known, notice, page, section } from '#src/console/web/parts/page.ts';
import { fieldsOf, objectFrom, uploadKeys } from '#src/console/web/parts/schema-fields.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { type Kind, kindOf } from './connectors.ts';
import {
  type ChosenCredential,
  type Credential,
  chosenCredential,
  credentialFields,
  withCredential,
} from './connector-credential.ts';
import { frequencyField, secondsOf } from './frequency.ts';

/** Where the API's errors say that settings are. */
export const SETTINGS = 'connector_specific_config';
const DAY_SECONDS = 86_400;

interface Checked {
  /** As they were filled in, to come back to. */
  readonly values: Values;
  readonly settings: Record<string, unknown>;
  readonly credential: ChosenCredential;
}

/** From a choice of kinds to a connector that runs. */
export function ConnectorNew(): Part {
  const kinds = useResource('GET /manage/admin/connector-kinds');
  const credentials = useResource('GET /manage/admin/credential');
  const kind = kindOf(query.value.get('kind') ?? '', kinds.data ?? []);
  return page({
    title: kind === null ? 'New connector' : `New connector: ${kind.title}`,
    under: { text: 'Connectors', href: link('/connectors') },
    about: kind === null ? 'What do you want to connect?' : kind.summary,
    width: kind === null ? '' : 'narrow',
    actions:
      kind !== null && button({ text: 'Choose another kind', run: () => filter({ kind: null }) }),
    content: known(
      kinds,
      (all) =>
        kind === null
          ? kindChoice(all)
          : known(
              credentials,
              (stored) => html`<${Steps} key=${kind.kind} kind=${kind} credentials=${stored} />`,
              () => refresh('GET /manage/admin/credential'),
            ),
      () => refresh('GET /manage/admin/connector-kinds'),
    ),
  });
}

function kindChoice(kinds: readonly Kind[]): Part {
  return html`<ul class="cards">
    ${kinds.map(
      ({ kind, title, summary }) =>
        html`<li key=${kind}>
          <a href=${linkWith({ kind })}><strong>${title}</strong> <span>${summary}</span></a>
        </li>`,
    )}
  </ul>`;
}

function Steps({ kind, credentials }: { kind: Kind; credentials: readonly Credential[] }): Part {
  const [checked, setChecked] = useState<Checked | null>(null);
  const [before, setBefore] = useState<Values>({});
  if (checked === null) {
    const fields = [
      ...fieldsOf(kind.settings, SETTINGS),
      ...credentialFields(kind, credentials, 'How to sign in'),
    ];
    return section({
      title: '1. Source',
      content: form({
        action: 'Check the source',
        look: 'left',
        fields: fields.map((field) => filledAgain(field, before)),
        submit: async (values) => setChecked(await check(kind, values)),
      }),
    });
  }
  const change = (): void => {
    setBefore(checked.values);
    setChecked(null);
  };
  return html`${notice(
    'green',
    html`<div class="row apart">
      <span>${kind.title} answers.</span> ${button({ text: 'Change', look: 'tiny', run: change })}
    </div>`,
  )}
  ${section({ title: '2. Name and schedule', content: lastStep(kind, checked) })}`;
}

/** What somebody has typed stands in the form again. Files must be chosen again. */
function filledAgain(field: Field, before: Values): Field {
  const value = before[field.name];
  return value === undefined || field.kind === 'files' ? field : { ...field, value };
}

/** @throws ApiProblem with the source's own words, or that names the field */
async function check(kind: Kind, values: Values): Promise<Checked> {
  const settings = {
    ...objectFrom(kind.settings, SETTINGS, values),
    ...(await uploaded(kind, values)),
  };
  const credential = chosenCredential(kind, values);
  try {
    await call('POST /manage/admin/connector/check', {
      body: {
        source: kind.kind,
        [SETTINGS]: settings,
        ...('id' in credential
          ? { credential_id: credential.id }
          : { credential_json: credential.json }),
      },
    });
  } catch (error) {
    throw inOwnWords(error);
  }
  return { values, settings, credential };
}

/** The source's sentence alone. */
function inOwnWords(error: unknown): ApiProblem {
  const problem = toProblem(error);
  const words = problem.message.replace(/^Connector validation error: /, '');
  return new ApiProblem(words, problem);
}

type Upload = Reply<'POST /manage/admin/connector/file/upload'>;

/** Stores the files that were chosen. Answers with the settings that name them. */
async function uploaded(kind: Kind, values: Values): Promise<Record<string, unknown>> {
  const keys = uploadKeys(kind.settings);
  if (keys.size === 0) return {};
  const data = new FormData();
  for (const file of Object.values(values).flat()) {
    if (file instanceof File) data.append('files', file);
  }
  const stored: Upload = await call('POST /manage/admin/connector/file/upload', { form: data });
  return Object.fromEntries(
    Object.entries(stored).flatMap(([part, value]) => {
      const key = keys.get(part);
      return key === undefined || value === null ? [] : [[key, value]];
    }),
  );
}

function lastStep(kind: Kind, { settings, credential }: Checked): Parts {
  return form({
    action: 'Connect',
    look: 'left',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        isRequired: true,
        value: suggestedName(kind, settings),
      },
      {
        name: 'access_type',
        label: 'Who can find its documents',
        kind: 'choice',
        isRequired: true,
        options: [
          { value: 'public', text: 'everybody in this workspace' },
          { value: 'private', text: 'only me' },
        ],
      },
      frequencyField('refresh_freq', 'Look for changes', kind.default_refresh_freq),
      frequencyField('prune_freq', 'Remove documents that are gone at the source', DAY_SECONDS),
    ],
    async submit(values) {
      const name = String(values['name']);
      const made = await withCredential(kind, credential, name, (credentialId) =>
        call('POST /manage/admin/connector/with-credential', {
          body: {
            name,
            source: kind.kind,
            input_type: 'poll',
            access_type: values['access_type'] === 'private' ? 'private' : 'public',
            connector_specific_config: settings,
            refresh_freq: secondsOf(values['refresh_freq']),
            prune_freq: secondsOf(values['prune_freq']),
            credential_id: credentialId,
          },
        }),
      );
      void refresh('GET /manage/admin/connector/status', 'GET /manage/admin/credential');
      say('It is connected. The first run begins.');
      go(made.data === null ? '/connectors' : `/connectors/${made.data}`);
    },
  });
}

/** The host of an address, or the kind. */
function suggestedName(kind: Kind, settings: Record<string, unknown>): string {
  const hosts = Object.values(settings).flatMap((value) => {
    const host = typeof value === 'string' ? URL.parse(value)?.host : null;
    return host ? [host] : [];
  });
  return hosts[0] ?? kind.title;
}
