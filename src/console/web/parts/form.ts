import { useRef, useState } from 'preact/hooks';
import { toProblem, type ApiProblem } from '#src/console/web/data/problem.ts';
import { fieldInput } from './field.ts';
import { type Field, type Values, wrongFields } from './form-field.ts';
import { html, type Part } from './html.ts';
import { problemNotice } from './page.ts';

export type { Field, Values };

interface FormFacts {
  readonly fields: readonly Field[];
  /** What the button says. */
  readonly action: string;
  readonly submit: (values: Values) => unknown;
  readonly cancel?: () => void;
  readonly look?: '' | 'left';
  readonly isDangerous?: boolean;
}

/** A form. What the service refuses is shown at the field that it names. */
export function form(given: FormFacts): Part {
  return html`<${Form} ...${given} />`;
}

function Form({ fields, action, submit, cancel, look = '', isDangerous = false }: FormFacts): Part {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const element = useRef<HTMLFormElement>(null);
  const shown = fields.filter(({ when }) => {
    if (when === undefined) return true;
    return (chosen[when.field] ?? firstChoice(fields, when.field)) === when.is;
  });
  const follow = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) setChosen({ ...chosen, [target.name]: target.value });
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || element.current === null) return;
    setBusy(true);
    setProblem(null);
    try {
      await submit(valuesOf(new FormData(element.current), shown));
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(false);
      focusFirstWrong(element.current);
      return;
    }
    setBusy(false);
  };
  const { byField, rest } = wrongFields(problem, shown);
  return html`<form class="form ${look}" ref=${element} onSubmit=${send} onChange=${follow}>
    ${shown.map((field) => fieldInput(field, byField.get(field.name) ?? null))}
    ${rest && problemNotice(rest)}
    <div class="actions">
      ${cancel && html`<button type="button" class="button" onClick=${cancel}>Cancel</button>`}
      <button
        type="submit"
        class="button primary ${isDangerous ? 'danger' : ''}"
        aria-disabled=${isBusy ? 'true' : null}
      >
        ${action}
      </button>
    </div>
  </form>`;
}

/** What a choice says before anybody has touched it. */
function firstChoice(fields: readonly Field[], name: string): unknown {
  const field = fields.find((one) => one.name === name);
  return field?.value ?? (field?.isRequired ? field.options?.[0]?.value : '');
}

function focusFirstWrong(element: HTMLFormElement): void {
  requestAnimationFrame(() => {
    element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
}

/** An empty field is null when it may be left out. */
function valuesOf(data: FormData, fields: readonly Field[]): Values {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(data, field)]));
}

function valueOf(data: FormData, { name, kind }: Field): unknown {
  const text = textOf(data, name);
  switch (kind) {
    case 'check':
      return data.has(name);
    case 'many':
      return data.getAll(name).map(String);
    case 'lines':
      return text.split('\n').flatMap((line) => line.trim() || []);
    case 'number':
      return text === '' ? null : Number(text);
    case 'datetime':
      return text === '' ? null : new Date(text).toISOString();
    case 'password':
      return text;
    case 'files':
      return data.getAll(name).filter((file) => file instanceof File && file.name !== '');
    case 'text':
    case 'email':
    case 'url':
    case 'choice':
    case 'longtext':
      return text.trim() === '' ? null : text.trim();
  }
}

function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
