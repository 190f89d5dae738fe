import { now } from '#src/console/web/data/now.ts';
import { html, type Part } from './html.ts';
import { durationText, NONE } from './number.ts';

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
/** Beyond this, a date says more than a number of days. */
const FAR_MS = 45 * 86_400_000;

/** How long ago or how soon, with the exact time on hover. Nothing is a dash, or `none`. */
export function time(iso: string | null | undefined, none: string = NONE): Part {
  return iso ? html`<${Time} iso=${iso} />` : missing(none);
}

/** When something is to happen; a time that is past says that it is due. */
export function due(iso: string | null | undefined, none: string = NONE): Part {
  return iso ? html`<${Time} iso=${iso} words=${dueText} />` : missing(none);
}

function missing(none: string): Part {
  return none === NONE ? NONE : html`<span class="muted">${none}</span>`;
}

function Time({ iso, words = relativeText }: { iso: string; words?: typeof relativeText }): Part {
  const date = new Date(iso);
  return html`<time datetime=${iso} title=${EXACT.format(date)}
    >${words(date.getTime() - now.value)}</time
  >`;
}

export function dueText(ms: number): string {
  return ms > 0 ? relativeText(ms) : `due ${relativeText(ms)}`;
}

export function relativeText(ms: number): string {
  const distance = Math.abs(ms);
  if (distance > FAR_MS) {
    return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(now.peek() + ms);
  }
  if (distance < 10_000) return ms > 0 ? 'in a few seconds' : 'just now';
  const text = durationText(distance);
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

/** A time in the words of a sentence. */
export function exactText(iso: string): string {
  return EXACT.format(new Date(iso));
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_AND_CLOCK = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const DAY_MS = 86_400_000;

/** `14:02`, with the date when that was not in the last day. */
export function clockText(iso: string): string {
  const date = new Date(iso);
  return (now.peek() - date.getTime() < DAY_MS ? CLOCK : DAY_AND_CLOCK).format(date);
}
