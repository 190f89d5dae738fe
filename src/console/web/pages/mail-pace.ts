import { html, type Part } from '#src/console/web/parts/html.ts';
import { countText } from '#src/console/web/parts/number.ts';
import { facts, notice, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import type { Account } from './mail.ts';

type Pace = Account['sending_pace'];

/** What the mail provider takes, which sending keeps by waiting. */
export function paceSection({ sending_pace: pace }: Account): Part {
  return section({
    title: 'Pace of sending',
    content: [
      pace.paused &&
        notice(
          'amber',
          html`The provider has said that a limit is reached, so messages wait. The next one goes
          ${time(pace.next_send_at, 'when the limit ends')}. Verifying the account ends the wait.`,
        ),
      pace.provider === null && limitsOf(pace) === ''
        ? html`<p class="muted">
            No limits of this mail server are known: messages go out as they come.
          </p>`
        : facts([
            pace.provider === null ? null : ['Provider', pace.provider],
            ['Takes', limitsOf(pace)],
            pace.sent_24h === null
              ? null
              : [
                  'Sent in 24 h',
                  pace.per_day === null
                    ? countText(pace.sent_24h)
                    : `${countText(pace.sent_24h)} of ${countText(pace.per_day)}`,
                ],
            ['Next turn', time(pace.next_send_at, 'at once')],
          ]),
    ],
  });
}

/** `20 a minute, 500 a day` */
function limitsOf({ per_minute: minute, per_hour: hour, per_day: day }: Pace): string {
  const parts = [
    minute === null ? null : `${countText(minute)} a minute`,
    hour === null ? null : `${countText(hour)} an hour`,
    day === null ? null : `${countText(day)} within 24 hours`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
