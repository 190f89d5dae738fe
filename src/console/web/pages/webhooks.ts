import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { go, link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { secret } from '#src/console/web/parts/copy.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Field, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, notice, page } from '#src/console/web/parts/page.ts';
import { rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';

export type Endpoint = Reply<'GET /webhook-endpoints/{id}'>;
type Endpoints = Reply<'GET /webhook-endpoints'>;
type EventType = Reply<'GET /webhook-event-types'>['event_types'][number];

const reload = (): Promise<void> => refresh('GET /webhook-endpoints');

/** Which programs are told what happens here, and do they answer? */
export function Webhooks(): Part {
  const endpoints = useResource('GET /webhook-endpoints');
  const types = useResource('GET /webhook-event-types');
  const ask = (): void => askForEndpoint(types.data?.event_types ?? []);
  useLive({ webhooks: (data) => put('GET /webhook-endpoints', {}, data as Endpoints) }, reload);
  return page({
    title: 'Webhooks',
    about: 'Addresses that are told of events, signed, and tried again until they answer.',
    actions: [
      liveMark(),
      button({ text: 'New endpoint', icon: 'plus', look: 'primary', run: ask }),
    ],
    content: known(
      endpoints,
      ({ webhook_endpoints: rows, total }) =>
        rows.length === 0
          ? empty(
              'Endpoints will be listed here, each with its health and every attempt to reach it.',
              button({ text: 'Add an endpoint', run: ask }),
            )
          : table({
              caption: 'Webhook endpoints',
              rows,
              isLinked: true,
              keyOf: ({ id }) => id,
              columns: [
                {
                  name: 'Address',
                  role: 'main',
                  show: ({ id, url, description }) =>
                    twoLines(
                      rowLink(url, link(`/webhooks/${id}`)),
                      description || 'no description',
                    ),
                },
                { name: 'State', role: 'state', show: ({ health }) => badge(health.state) },
                { name: 'Events', show: ({ event_types }) => typesText(event_types) },
                {
                  name: 'Last success',
                  label: 'success',
                  show: ({ health }) => time(health.last_success_at, 'never'),
                },
                {
                  name: 'Last failure',
                  label: 'failure',
                  show: ({ health }) => time(health.last_failure_at, 'never'),
                },
              ],
              foot: plural(total, 'endpoint'),
            }),
      reload,
    ),
  });
}

export function typesText(types: readonly string[] | null): string {
  if (types === null) return 'all events';
  return types.length === 1 ? (types[0] ?? '') : plural(types.length, 'event type');
}

/** The fields of an endpoint; `from` is the one that is changed. */
export function endpointFields(types: readonly EventType[], from?: Endpoint): Field[] {
  return [
    {
      name: 'url',
      label: 'Address',
      kind: 'url',
      isRequired: true,
      placeholder: 'https://example.com/hooks',
      ...(from && { value: from.url }),
    },
    {
      name: 'description',
      label: 'Description',
      kind: 'text',
      maxLength: 500,
      ...(from && { value: from.description }),
    },
    {
      name: 'event_types',
      label: 'Events',
      kind: 'many',
      help: 'None ticked: all, except those that must be asked for.',
      value: from?.event_types ?? [],
      options: types
        .filter(({ type }) => type !== 'ping')
        .map(({ type, summary, opt_in }) => ({
          value: type,
          text: html`<code>${type}</code>`,
          help: opt_in ? `${summary} Must be asked for.` : summary,
        })),
    },
    {
      name: 'rate_limit',
      label: 'Deliveries a minute at most',
      kind: 'number',
      min: 1,
      max: 100_000,
      help: 'Empty: no limit.',
      ...(from?.rate_limit && { value: from.rate_limit }),
    },
  ];
}

export function endpointBody(values: Values) {
  const { url, description, event_types: types, rate_limit: limit } = values;
  const chosen = Array.isArray(types) ? types.map(String) : [];
  return {
    url: String(url),
    description: typeof description === 'string' ? description : null,
    // The service says which of them it does not know.
    event_types: chosen.length === 0 ? null : (chosen as EventType['type'][]),
    rate_limit: typeof limit === 'number' ? limit : null,
  };
}

function askForEndpoint(types: readonly EventType[]): void {
  openDialog({
    title: 'New endpoint',
    isWide: true,
    content: () =>
      form({
        action: 'Add the endpoint',
        cancel: closeDialog,
        fields: endpointFields(types),
        submit: async (values) => {
          const made = await call('POST /webhook-endpoints', { body: endpointBody(values) });
          void reload();
          showSecret(made.secret, () => go(`/webhooks/${made.id}`));
        },
      }),
  });
}

export function showSecret(text: string, done: () => void): void {
  const close = (): void => {
    closeDialog();
    done();
  };
  openDialog({
    title: 'Signing secret',
    isWide: true,
    content: () =>
      html`<div class="stack">
        ${notice('amber', 'Copy it now: it is shown this once. Your program checks the header X-Signature with it.')}
        ${secret(text, 'secret')}
        <p><a href="/docs" target="_blank" rel="noopener">How signatures are checked</a></p>
        <div class="actions">${button({ text: 'Done', look: 'primary', run: close })}</div>
      </div>`,
  });
}
