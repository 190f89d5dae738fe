import { linkWith, query } from '#src/console/web/data/place.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';

export const RANGES = [
  { value: 'hour', text: 'last hour' },
  { value: 'day', text: 'last day' },
  { value: 'month', text: '30 days' },
] as const;

export type Range = (typeof RANGES)[number]['value'];

/** The time that figures are of; it stands in the address. */
export function chosenRange(): Range {
  return RANGES.find(({ value }) => value === query.value.get('range'))?.value ?? 'hour';
}

export function rangeTabs(): Part {
  const chosen = chosenRange();
  return html`<nav class="tabs" aria-label="Time">
    ${RANGES.map(
      ({ value, text }) =>
        html`<a
          key=${value}
          href=${linkWith({ range: value === 'hour' ? null : value })}
          aria-current=${value === chosen ? 'page' : null}
          >${text}</a
        >`,
    )}
  </nav>`;
}
