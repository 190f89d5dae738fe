import { z } from 'zod';
import { PARTIAL_USER, RICH_TEXT } from './notion-api.ts';
import { renderRichText } from './notion-text.ts';

const OPTION = z.object({ name: z.string() });
const DATE = z.object({ start: z.string(), end: z.string().nullish() });
const FORMULA = z.object({
  string: z.string().nullish(),
  number: z.number().nullish(),
  boolean: z.boolean().nullish(),
  date: DATE.nullish(),
});

/** https://developers.notion.com/reference/page-property-values */
const PROPERTY = z.object({
  type: z.string(),
  title: RICH_TEXT.nullish(),
  rich_text: RICH_TEXT.nullish(),
  number: z.number().nullish(),
  select: OPTION.nullish(),
  status: OPTION.nullish(),
  multi_select: z.array(OPTION).nullish(),
  date: DATE.nullish(),
  people: z.array(PARTIAL_USER).nullish(),
  files: z.array(OPTION).nullish(),
  checkbox: z.boolean().nullish(),
  url: z.string().nullish(),
  email: z.string().nullish(),
  phone_number: z.string().nullish(),
  formula: FORMULA.nullish(),
  unique_id: z.object({ prefix: z.string().nullish(), number: z.number().nullish() }).nullish(),
});
type Property = z.infer<typeof PROPERTY>;

/** A rollup repeats properties of other pages. */
const ROLLUP = FORMULA.extend({ array: z.array(z.unknown()).nullish() });

/** The title, which every Notion page has. Empty until the page is named. */
export function titleOf(properties: Record<string, unknown>): string {
  for (const value of Object.values(properties)) {
    const property = PROPERTY.safeParse(value);
    if (property.success && property.data.type === 'title') {
      return (property.data.title ?? [])
        .map(({ plain_text: text }) => text)
        .join('')
        .trim();
    }
  }
  return '';
}

/** The values of the other properties. Leaves out blank values, and relations, which are ids of other pages. */
export function propertyValues(
  properties: Record<string, unknown>,
): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const [name, raw] of Object.entries(properties)) {
    const all = valuesOf(raw, 0).map((value) => value.trim());
    const filled = all.filter((value) => value !== '');
    const [first] = filled;
    if (first !== undefined && name.trim() !== '')
      values[name] = filled.length > 1 ? filled : first;
  }
  return values;
}

function valuesOf(raw: unknown, depth: number): string[] {
  const parsed = PROPERTY.safeParse(raw);
  if (!parsed.success) return [];
  const property = parsed.data;
  switch (property.type) {
    case 'title':
      return depth === 0 ? [] : [renderRichText(property.title)];
    case 'multi_select':
    case 'files':
      return (property[property.type] ?? []).map(({ name }) => name);
    case 'people':
      return (property.people ?? []).map(({ name, person }) => name || person?.email || '');
    case 'rollup':
      return depth === 0 ? rollupValues(raw) : [];
    default:
      return [singleValue(property)];
  }
}

function rollupValues(raw: unknown): string[] {
  const rollup = z.object({ rollup: ROLLUP }).safeParse(raw).data?.rollup;
  if (!rollup) return [];
  return [...(rollup.array ?? []).flatMap((value) => valuesOf(value, 1)), formulaValue(rollup)];
}

function singleValue(property: Property): string {
  switch (property.type) {
    case 'rich_text':
      return renderRichText(property.rich_text);
    case 'number':
      return property.number?.toString() ?? '';
    case 'select':
    case 'status':
      return property[property.type]?.name ?? '';
    case 'date':
      return dateValue(property.date);
    case 'checkbox':
      return property.checkbox ? 'yes' : 'no';
    case 'url':
    case 'email':
    case 'phone_number':
      return property[property.type] ?? '';
    case 'formula':
      return property.formula ? formulaValue(property.formula) : '';
    case 'unique_id':
      return [property.unique_id?.prefix, property.unique_id?.number?.toString()]
        .filter(Boolean)
        .join('-');
    default:
      return '';
  }
}

function formulaValue({ string, number, boolean, date }: z.infer<typeof FORMULA>): string {
  if (typeof boolean === 'boolean') return boolean ? 'yes' : 'no';
  return string ?? number?.toString() ?? dateValue(date);
}

function dateValue(date: z.infer<typeof DATE> | null | undefined): string {
  if (!date) return '';
  return date.end ? `${date.start} to ${date.end}` : date.start;
}
