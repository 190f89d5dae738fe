import { useEffect, useRef } from 'preact/hooks';
import { filter, query } from '#src/console/web/data/place.ts';
import { html, type Part } from './html.ts';

/** A choice that narrows a list; it stands in the address. */
export function choiceFilter(given: {
  name: string;
  label: string;
  /** The choice that does not narrow. */
  none?: string;
  options: readonly string[] | readonly { value: string; text: string }[];
}): Part {
  const { name, label, none = 'all' } = given;
  const chosen = query.value.get(name) ?? '';
  const options = given.options.map((option) =>
    typeof option === 'string' ? { value: option, text: option.replaceAll('_', ' ') } : option,
  );
  return html`<div class="filters">
    <label>
      ${label}
      <select
        class="input small-input"
        value=${chosen}
        onChange=${(event: Event) => {
          if (event.target instanceof HTMLSelectElement) filter({ [name]: event.target.value });
        }}
      >
        <option value="">${none}</option>
        ${options.map(
          ({ value, text }) =>
            html`<option key=${value} value=${value} selected=${value === chosen}>${text}</option>`,
        )}
      </select>
    </label>
  </div>`;
}

/** Several filters of one list. */
export function filterBar(filters: readonly (Part | null)[]): Part {
  return html`<div class="filter-bar">${filters}</div>`;
}

interface TextFilterFacts {
  readonly name: string;
  readonly label: string;
}

/** A text that narrows a list; it stands in the address as soon as somebody pauses. */
export function textFilter(given: TextFilterFacts): Part {
  return html`<${TextFilter} ...${given} />`;
}

const PAUSE_MS = 300;
const MAX_LENGTH = 200;

function TextFilter({ name, label }: TextFilterFacts): Part {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  const wanted = query.value.get(name) ?? '';
  // The address may change by a link or by the browser's buttons; what somebody is typing stays.
  useEffect(() => {
    const { current } = field;
    if (current !== null && current !== document.activeElement) current.value = wanted;
  }, [wanted]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const follow = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      filter({ [name]: field.current?.value.trim() ?? '' }, { replace: true });
    }, PAUSE_MS);
  };
  return html`<div class="filters grows">
    <input
      ref=${field}
      type="search"
      class="input small-input"
      aria-label=${label}
      placeholder=${label}
      maxlength=${MAX_LENGTH}
      defaultValue=${wanted}
      autocomplete="off"
      spellcheck="false"
      onInput=${follow}
    />
  </div>`;
}
