import { z } from 'zod';
import { adfToMarkdown } from './adf-to-markdown.ts';
import type { JiraSite } from './jira-site.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { wikiMarkupToMarkdown } from './wiki-markup-to-markdown.ts';

/** A custom field with text values. */
export interface CustomField {
  /** `customfield_10010` */
  id: string;
  name: string;
}

/** A site may have thousands, and each is requested with every issue. */
const MAX_FIELDS = 100;
const MAX_VALUE_CHARACTERS = 20_000;
const MAX_OPTIONS = 100;

const FIELD = z.object({
  id: z.string(),
  name: z.string(),
  custom: z.boolean().nullish(),
  schema: z
    .object({ type: z.string(), items: z.string().nullish(), custom: z.string().nullish() })
    .nullish(),
});

const TEXT_TYPES = new Set(['string', 'option', 'option-with-child']);
const TEXT_ITEMS = new Set(['string', 'option']);

/**
 * Fields of text, rich text, labels and select options.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-fields/#api-rest-api-3-field-get
 * @returns none when the site does not list them for this account: its issues are read all the same
 */
export async function listCustomFields({ http, api }: JiraSite): Promise<CustomField[]> {
  try {
    const { data } = await http.json({ url: `${api}/field` }, z.array(z.unknown()));
    const fields = data.flatMap((one) => FIELD.safeParse(one).data ?? []);
    return fields
      .filter(isText)
      .map(({ id, name }) => ({ id, name: name.trim() || id }))
      .toSorted((a, b) => numberOf(a) - numberOf(b))
      .slice(0, MAX_FIELDS);
  } catch (error) {
    if (error instanceof SourceRefused) return [];
    throw error;
  }
}

function isText({ id, custom, schema }: z.infer<typeof FIELD>): boolean {
  if (custom !== true || !schema || !/^customfield_\d+$/.test(id)) return false;
  return schema.type === 'array' ? TEXT_ITEMS.has(schema.items ?? '') : TEXT_TYPES.has(schema.type);
}

function numberOf({ id }: CustomField): number {
  return Number(id.slice(id.indexOf('_') + 1));
}

const CUSTOM_VALUES = z.object({ fields: z.record(z.string(), z.unknown()) });

/** An issue's values of these fields, under their names; empty when it has none. */
export function customText(raw: unknown, fields: readonly CustomField[]): string {
  const values = CUSTOM_VALUES.safeParse(raw).data?.fields ?? {};
  return fields
    .map(({ id, name }) => {
      const words = wordsOf(values[id]).trim().slice(0, MAX_VALUE_CHARACTERS);
      if (words === '') return '';
      return words.includes('\n') ? `${name}:\n\n${words}` : `${name}: ${words}`;
    })
    .filter((line) => line !== '')
    .join('\n\n');
}

const OPTION = z.object({ value: z.string(), child: z.object({ value: z.string() }).nullish() });
const DOCUMENT = z.object({ type: z.literal('doc') });

/** Apps store other data under the same types; that is ignored here. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return wikiMarkupToMarkdown(value);
  if (Array.isArray(value)) {
    const words = value.slice(0, MAX_OPTIONS).map(optionWords);
    return words.filter((one) => one !== '').join(', ');
  }
  return DOCUMENT.safeParse(value).success ? adfToMarkdown(value) : optionWords(value);
}

function optionWords(value: unknown): string {
  if (typeof value === 'string') return value;
  const { data } = OPTION.safeParse(value);
  return data ? [data.value, data.child?.value].filter(Boolean).join(' – ') : '';
}
