import { call, type Reply } from '#src/console/web/data/call.ts';
import { filter, go, link, linkWith, query } from '#src/console/web/data/place.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { choiceFilter } from '#src/console/web/parts/filter.ts';
import { form } from '#src/console/web/parts/form.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { countText, plural } from '#src/console/web/parts/number.ts';
import {
  empty,
  figures,
  known,
  liveMark,
  notice,
  page,
  section,
} from '#src/console/web/parts/page.ts';
import { pager, rowLink, table, twoLines } from '#src/console/web/parts/table.ts';
import { due, time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { askToRecover } from './webhook-recover.ts';
import { type Endpoint, endpointBody, endpointFields, showSecret, typesText } from './webhooks.ts';

/** What the topic of an endpoint tells. */
type Told = Deliveries & { readonly endpoint: Endpoint };
type Deliveries = Reply<'GET /webhook-deliveries'>;
type Delivery = Reply<'GET /webhook-deliveries'>['deliveries'][number];
const STATUSES = [
  'pending',
  'delivering',
  'delivered',
  'waiting',
  'exhausted',
  'canceled',
] as const;

const reload = (): Promise<void> =>
  refresh('GET /webhook-endpoints/{id}', 'GET /webhook-endpoints', 'GET /webhook-deliveries');

/** Why was my webhook not delivered? */
export function WebhookEndpoint({ id = '' }: { id?: string }): Part {
  const endpoint = useResource('GET /webhook-endpoints/{id}', { path: { id } });
  const status = STATUSES.find((name) => name === query.value.get('status'));
  const cursor = query.value.get('cursor');
  const listing = { query: { endpoint_id: id, status, cursor, limit: 25 } };
  const deliveries = useResource('GET /webhook-deliveries', listing);
  const take = (data: unknown): void => {
    // The stream has the shape of the description, which says what this topic tells.
    const { endpoint: latest, ...first } = data as Told;
    put('GET /webhook-endpoints/{id}', { path: { id } }, latest);
    if (status === undefined && cursor === null) put('GET /webhook-deliveries', listing, first);
    else void refresh('GET /webhook-deliveries');
  };
  useLive({ [`webhook:${id}`]: take }, reload);
  return page({
    title: endpoint.data === null ? 'Endpoint' : titleOf(endpoint.data),
    under: { text: 'Webhooks', href: link('/webhooks') },
    badge: endpoint.data && badge(endpoint.data.health.state),
    about: endpoint.data && html`<code>${endpoint.data.url}</code>`,
    actions: endpoint.data && [liveMark(), actions(endpoint.data)],
    content: [
      known(endpoint, standing, reload),
      section({
        title: 'Deliveries',
        isFlush: true,
        actions: choiceFilter({ name: 'status', label: 'State', options: STATUSES }),
        content: known(deliveries, (found) => deliveryTable(found, status !== undefined), reload),
      }),
    ],
  });
}

function actions(endpoint: Endpoint): Parts {
  const { id, enabled } = endpoint;
  return [
    button({
      text: 'Send a test event',
      icon: 'send',
      look: 'primary',
      whyNot: enabled ? null : 'The endpoint is disabled.',
      run: () => sendTest(id),
    }),
    button({ text: 'Recover', icon: 'retry', run: () => askToRecover(id) }),
    button({ text: 'Change', run: () => askToChange(endpoint) }),
    button({ text: 'New secret', run: () => askForNewSecret(id) }),
    button({ text: enabled ? 'Disable' : 'Enable', run: () => setEnabled(id, !enabled) }),
    button({ text: 'Delete', look: 'danger', run: () => askToDelete(endpoint) }),
  ];
}

function standing({ health, event_types, rate_limit, ...rest }: Endpoint): Parts {
  return [
    rest.disabled_reason &&
      notice('red', html`Disabled ${time(rest.disabled_at)}: ${rest.disabled_reason}`),
    health.state === 'open' &&
      notice(
        'red',
        html`It does not answer, so deliveries wait. The next one is tried
        ${time(health.next_probe_at)}.`,
      ),
    rest.previous_secret_valid_until &&
      notice(
        'amber',
        html`Events are also signed with the previous secret, which ends
        ${time(rest.previous_secret_valid_until)}.`,
      ),
    figures([
      { name: 'Last success', value: time(health.last_success_at, 'never'), isWords: true },
      { name: 'Last failure', value: time(health.last_failure_at, 'never'), isWords: true },
      { name: 'Failures in a row', value: countText(health.failures) },
      {
        name: 'Events',
        value: html`<span title=${event_types?.join(', ') ?? ''}>${typesText(event_types)}</span>`,
        isWords: true,
      },
      {
        name: 'At most',
        value: rate_limit === null ? 'no limit' : `${countText(rate_limit)} a minute`,
        isWords: true,
      },
    ]),
  ];
}

function deliveryTable({ deliveries, next_cursor }: Deliveries, isFiltered: boolean): Part {
  if (deliveries.length === 0) {
    return empty(
      isFiltered
        ? 'No delivery has this state.'
        : 'Every event that was sent here will be listed, with what the receiver answered.',
      isFiltered && button({ text: 'Show all', run: () => filter({ status: null }) }),
    );
  }
  return table({
    caption: 'Deliveries',
    rows: deliveries,
    isLinked: true,
    keyOf: (delivery) => delivery.id,
    columns: [
      {
        name: 'Event',
        role: 'main',
        show: (one) =>
          twoLines(
            rowLink(html`<code>${one.event_type}</code>`, link(`/webhooks/deliveries/${one.id}`)),
            one.last_status_code === null ? one.error : null,
            { matters: true },
          ),
      },
      { name: 'State', role: 'state', show: (one) => badge(one.status) },
      {
        name: 'Answer',
        show: (one) => one.last_status_code ?? (one.error === null ? '–' : 'none'),
      },
      {
        name: 'Attempts',
        isNumber: true,
        label: 'attempts',
        show: (one) => countText(one.attempts),
      },
      { name: 'Next', label: 'next', show: (one) => due(one.next_attempt_at) },
      { name: 'Made', label: 'made', show: (one) => time(one.created_at) },
      { name: 'Id', role: 'wide', show: (one) => shortId(one.id) },
    ],
    foot: pager({
      count: plural(deliveries.length, 'delivery', 'deliveries'),
      firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
      nextHref: next_cursor && linkWith({ cursor: next_cursor }),
    }),
  });
}

export function isOnItsWay({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'pending' || status === 'delivering';
}

async function sendTest(id: string): Promise<void> {
  const { delivery_id } = await call('POST /webhook-endpoints/{id}/test', { path: { id } });
  say('A ping is on its way.');
  void reload();
  go(`/webhooks/deliveries/${delivery_id}`);
}

async function setEnabled(id: string, enabled: boolean): Promise<void> {
  await call('PATCH /webhook-endpoints/{id}', { path: { id }, body: { enabled } });
  say(enabled ? 'The endpoint gets events again.' : 'The endpoint gets no more events.');
  await reload();
}

async function askToChange(endpoint: Endpoint): Promise<void> {
  const { event_types: types } = await call('GET /webhook-event-types');
  openDialog({
    title: 'Change the endpoint',
    isWide: true,
    content: () =>
      form({
        action: 'Save',
        cancel: closeDialog,
        fields: endpointFields(types, endpoint),
        submit: async (values) => {
          await call('PATCH /webhook-endpoints/{id}', {
            path: { id: endpoint.id },
            body: endpointBody(values),
          });
          closeDialog();
          say('The endpoint is saved.');
          void reload();
        },
      }),
  });
}

function askForNewSecret(id: string): void {
  openDialog({
    title: 'New secret',
    content: () =>
      form({
        action: 'Make a new secret',
        cancel: closeDialog,
        fields: [
          {
            name: 'hours',
            label: 'Hours in which the old one counts, too',
            kind: 'number',
            value: 24,
            min: 0,
            max: 168,
            isRequired: true,
            help: '0 if the old one is known to somebody: it then ends at once.',
          },
        ],
        submit: async ({ hours }) => {
          const body = { grace_period_seconds: Math.round(Number(hours) * 3_600) };
          const made = await call('POST /webhook-endpoints/{id}/rotate-secret', {
            path: { id },
            body,
          });
          void reload();
          showSecret(made.secret, () => undefined);
        },
      }),
  });
}

function askToDelete({ id, url }: Endpoint): void {
  confirm({
    title: 'Delete an endpoint',
    explain: html`<code>${url}</code> gets no more events. What was delivered can still be looked
      up.`,
    action: 'Delete 1 endpoint',
    run: async () => {
      await call('DELETE /webhook-endpoints/{id}', { path: { id } });
      void refresh('GET /webhook-endpoints');
      say('The endpoint is deleted.');
      go('/webhooks');
    },
  });
}

/** Several endpoints may lie at one host. */
function titleOf({ url, description }: Endpoint): string {
  const parsed = URL.parse(url);
  if (description !== '' || parsed === null) return description || url;
  return parsed.host + (parsed.pathname === '/' ? '' : parsed.pathname);
}
