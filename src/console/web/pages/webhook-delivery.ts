import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge, label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { durationText } from '#src/console/web/parts/number.ts';
import { empty, facts, known, liveMark, page, section } from '#src/console/web/parts/page.ts';
import { due, time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { isOnItsWay } from './webhook-endpoint.ts';

type Delivery = Reply<'GET /webhook-deliveries/{id}'>;
type Attempt = Reply<'GET /webhook-deliveries/{id}/attempts'>['attempts'][number];
/** What the topic of a delivery tells. */
interface Told {
  readonly delivery: Delivery;
  readonly attempts: Attempt[];
}

const reload = (): Promise<void> =>
  refresh('GET /webhook-deliveries/{id}', 'GET /webhook-deliveries/{id}/attempts');

/** What was sent, and what the receiver answered each time. */
export function WebhookDelivery({ id = '' }: { id?: string }): Part {
  const delivery = useResource('GET /webhook-deliveries/{id}', { path: { id } });
  const attempts = useResource('GET /webhook-deliveries/{id}/attempts', { path: { id } });
  const take = (data: unknown): void => {
    const told = data as Told; // the stream has the shape of the description
    put('GET /webhook-deliveries/{id}', { path: { id } }, told.delivery);
    put('GET /webhook-deliveries/{id}/attempts', { path: { id } }, { attempts: told.attempts });
  };
  useLive({ [`delivery:${id}`]: take }, reload);
  const { data } = delivery;
  return page({
    title: data === null ? `Delivery ${id}` : data.event_type,
    under: {
      text: 'Endpoint',
      href: link(data === null ? '/webhooks' : `/webhooks/${data.endpoint_id}`),
    },
    badge: data && badge(data.status),
    actions: data && [liveMark(), resendButton(data)],
    width: 'narrow',
    content: [
      known(delivery, standing, reload),
      section({
        title: 'Attempts',
        content: known(attempts, ({ attempts: all }) => timeline(all), reload),
      }),
      data && payloadSection(data.event_id),
    ],
  });
}

function resendButton(delivery: Delivery): Part {
  return button({
    text: 'Send again',
    icon: 'retry',
    look: 'primary',
    whyNot: isOnItsWay(delivery) ? 'It is on its way already.' : null,
    run: async () => {
      await call('POST /webhook-deliveries/{id}/resend', { path: { id: delivery.id } });
      say('It is on its way again.');
      await reload();
    },
  });
}

function standing(delivery: Delivery): Part {
  return html`<div class="box">
    <div class="body">
      ${facts([
        ['Delivery', shortId(delivery.id)],
        ['Event', shortId(delivery.event_id)],
        ['Made', time(delivery.created_at)],
        delivery.delivered_at ? ['Delivered', time(delivery.delivered_at)] : null,
        delivery.next_attempt_at ? ['Next attempt', due(delivery.next_attempt_at)] : null,
        delivery.error === null ? null : ['Last error', delivery.error],
      ])}
    </div>
  </div>`;
}

function timeline(attempts: readonly Attempt[]): Part {
  if (attempts.length === 0) return empty('The first attempt will be shown here in a moment.');
  return html`<ol class="timeline">
    ${attempts.toReversed().map(
      (attempt) =>
        html`<li key=${attempt.id}>
          ${icon(attempt.outcome === 'delivered' ? 'check' : 'warning')}
          <div class="stack tight">
            <div class="row">
              ${badge(attempt.outcome)}
              ${attempt.status_code !== null && html`<code>${attempt.status_code}</code>`}
              <span class="muted"
                >after ${durationText(attempt.duration_ms)}, ${time(attempt.started_at)}</span
              >
              ${attempt.round > 1 && label({ tone: 'grey', icon: 'retry', word: `round ${attempt.round}` })}
            </div>
            ${attempt.error && html`<p>${attempt.error}</p>`}
            ${attempt.answer && html`<pre class="command">${attempt.answer}</pre>`}
          </div>
        </li>`,
    )}
  </ol>`;
}

function payloadSection(eventId: string): Part {
  return html`<${Payload} eventId=${eventId} />`;
}

function Payload({ eventId }: { eventId: string }): Part {
  const event = useResource('GET /webhook-events/{id}', { path: { id: eventId } });
  const show = ({ payload }: Reply<'GET /webhook-events/{id}'>): Parts =>
    payload === null
      ? empty('The payload is no longer kept.')
      : html`<pre class="command">${JSON.stringify(payload, null, 2)}</pre>`;
  return section({
    title: 'Payload',
    content: known(event, show, () => refresh('GET /webhook-events/{id}')),
  });
}
