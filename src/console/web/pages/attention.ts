import type { Subject } from './subjects.ts';
import { subjectHref } from './subjects.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { time } from '#src/console/web/parts/time.ts';

export interface Concern {
  readonly level: 'danger' | 'warning';
  readonly text: string;
  /** Null when nobody knows. */
  readonly since: string | null;
  readonly subject: Subject | null;
}

/** What a person should look at, worst first; one calm line when there is nothing. */
export function attention(concerns: readonly Concern[], calm: string): Part {
  if (concerns.length === 0) {
    return html`<div class="notice green">
      ${icon('check')}
      <div>${calm}</div>
    </div>`;
  }
  return html`<section class="box" aria-label="Needs attention">
    <div class="head"><h2>Needs attention</h2></div>
    <ul class="concerns">
      ${concerns.map(
        ({ level, text, since, subject }, index) =>
          html`<li key=${index} class=${level === 'danger' ? 'red' : 'amber'}>
            ${icon('warning')}
            <div>
              <span class="hidden-text"
                >${level === 'danger' ? 'Needs a person:' : 'Warning:'}</span
              >
              ${text}
            </div>
            ${since && html`<span class="muted small">${time(since)}</span>`}
            ${lookLink(subject, text)}
          </li>`,
      )}
    </ul>
  </section>`;
}

function lookLink(subject: Subject | null, text: string): Part {
  const href = subject === null ? null : subjectHref(subject);
  return href && html`<a class="button tiny" href=${href} aria-label="Look: ${text}">Look</a>`;
}
