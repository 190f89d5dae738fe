import type { ApiProblem } from '#src/console/web/data/problem.ts';
import type { Parts } from './html.ts';

type FieldKind =
  | 'text'
  | 'password'
  | 'email'
  | 'url'
  | 'number'
  | 'check'
  | 'choice'
  | 'many'
  | 'lines'
  | 'longtext'
  | 'datetime'
  | 'files';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly help?: Parts;
  readonly isRequired?: boolean;
  readonly options?: readonly { value: string; text: Parts; help?: Parts }[];
  readonly value?: unknown;
  readonly placeholder?: string;
  /** What a browser may fill in (HTML `autocomplete`). */
  readonly autocomplete?: string;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Stands above the field, where a group of fields begins. */
  readonly heading?: string;
  /** Asked for only while another field, a choice, has this value. */
  readonly when?: { readonly field: string; readonly is: string };
}

export type Values = Readonly<Record<string, unknown>>;

/** `body.url: must be https` belongs to the field `url`, and so does `body.url[0]: …`. */
export function wrongFields(
  problem: ApiProblem | null,
  fields: readonly Field[],
): { byField: ReadonlyMap<string, string>; rest: ApiProblem | null } {
  const byField = new Map<string, string>();
  if (problem === null) return { byField, rest: null };
  // Several fields may be wrong: `a: must be …; b: is required`.
  const parts = problem.message.split(/; (?=(?:body\.)?[\w.]+(?:\[\d+\])*: )/);
  for (const part of parts) {
    const [, path = '', message = ''] =
      /^(?:body\.)?([\w.]+?)(?:\[\d+\])*: ([^]+)$/.exec(part) ?? [];
    const field = fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
    if (field === undefined) return { byField, rest: problem };
    // Where to look it up is for programs.
    byField.set(field.name, message.replace(/ GET \/[^]*$/, ''));
  }
  return { byField, rest: null };
}
