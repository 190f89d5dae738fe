import type { Field } from './form-field.ts';
import { html, type Part } from './html.ts';

/** One field of a form with its label, its help, and what is wrong with it. */
export function fieldInput(field: Field, wrong: string | null): Part {
  const { heading, name } = field;
  if (heading === undefined) return bareInput(field, wrong);
  return html`<h3 key=${`above-${name}`}>${heading}</h3>
    ${bareInput(field, wrong)}`;
}

function bareInput(field: Field, wrong: string | null): Part {
  const { name, kind } = field;
  if (kind === 'check') return checkField(field, wrong);
  if (kind === 'many') return manyField(field, wrong);
  const about = describedBy(field, wrong);
  return html`<div class="field" key=${name}>
    <label for="field-${name}">${field.label}${optionalMark(field)}</label>
    ${control(field, wrong, about)} ${helpLines(field, wrong)}
  </div>`;
}

function control(field: Field, wrong: string | null, about: string | null): Part {
  const { name, kind, isRequired = false, placeholder, autocomplete } = field;
  const common = {
    id: `field-${name}`,
    name,
    class: 'input',
    required: isRequired,
    placeholder,
    'aria-invalid': wrong === null ? null : 'true',
    'aria-describedby': about,
  };
  if (kind === 'choice') {
    return html`<select ...${common}>
      ${!isRequired && html`<option value="">–</option>`}
      ${field.options?.map(
        ({ value, text }) =>
          html`<option value=${value} selected=${value === field.value}>${text}</option>`,
      )}
    </select>`;
  }
  if (kind === 'lines' || kind === 'longtext') {
    return html`<textarea ...${common} rows="4" defaultValue=${initialText(field)}></textarea>`;
  }
  if (kind === 'files') return html`<input ...${common} type="file" multiple />`;
  const types = { text: 'text', datetime: 'datetime-local', number: 'number' };
  return html`<input
    ...${common}
    type=${kind in types ? types[kind as keyof typeof types] : kind}
    defaultValue=${initialText(field)}
    autocomplete=${autocomplete ?? 'off'}
    min=${field.min}
    max=${field.max}
    minlength=${field.minLength}
    maxlength=${field.maxLength}
    step=${kind === 'number' ? 'any' : null}
    spellcheck=${kind === 'text' ? null : 'false'}
  />`;
}

function checkField(field: Field, wrong: string | null): Part {
  const { name, label, value } = field;
  return html`<div class="field" key=${name}>
    <label class="check">
      <input
        type="checkbox"
        name=${name}
        defaultChecked=${value === true}
        aria-describedby=${describedBy(field, wrong)}
      />
      <span>${label}</span>
    </label>
    ${helpLines(field, wrong)}
  </div>`;
}

function manyField(field: Field, wrong: string | null): Part {
  const { name, label, options = [], value } = field;
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return html`<fieldset class="field" key=${name}>
    <legend>${label}${optionalMark(field)}</legend>
    ${options.map(
      (option) =>
        html`<label class="check" key=${option.value}>
          <input
            type="checkbox"
            name=${name}
            value=${option.value}
            defaultChecked=${chosen.includes(option.value)}
          />
          <span>
            ${option.text} ${option.help && html`<span class="small muted"> ${option.help}</span>`}
          </span>
        </label>`,
    )}
    ${helpLines(field, wrong)}
  </fieldset>`;
}

function optionalMark({ isRequired = false, kind }: Field): Part {
  return !isRequired && kind !== 'check' && html`<span class="muted small"> optional</span>`;
}

function describedBy({ name, help }: Field, wrong: string | null): string | null {
  const ids = [wrong === null ? null : `wrong-${name}`, help ? `help-${name}` : null];
  return ids.filter((id) => id !== null).join(' ') || null;
}

function helpLines({ name, help }: Field, wrong: string | null): Part {
  return html`${wrong && html`<span class="wrong" id="wrong-${name}" role="alert">${wrong}</span>`}
  ${help && html`<span class="help" id="help-${name}">${help}</span>`}`;
}

function initialText({ value }: Field): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return Array.isArray(value) ? value.join('\n') : undefined;
}
