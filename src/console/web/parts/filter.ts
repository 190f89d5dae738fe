import { filter, query } from '#src/console/web/data/place.ts';
import { html, type Part } from './html.ts';

/** A choice that narrows a list; it stands in the address. */
export function choiceFilter(given: {
  name: string;
  label: string;
  options: readonly string[] | readonly { value: string; text: string }[];
}): Part {
  const { name, label } = given;
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
        <option value="">all</option>
        ${options.map(
          ({ value, text }) =>
            html`<option key=${value} value=${value} selected=${value === chosen}>${text}</option>`,
        )}
      </select>
    </label>
  </div>`;
}
