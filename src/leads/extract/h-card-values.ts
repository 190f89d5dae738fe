import type { HtmlElement } from '#src/files/html-tree.ts';
import { oneLine } from '#src/files/html-tree.ts';
import { absolute, elementsIn, textOf, type ValueReader } from './element-value.ts';

/** The supported class names of microformats2 and classic hCard, and the property that each is stored as. */
const MF2_PROPERTIES: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['given-name', 'given-name'],
  ['family-name', 'family-name'],
  ['org', 'org'],
  ['organization-name', 'org'],
  ['job-title', 'job-title'],
  ['role', 'role'],
  ['email', 'email'],
  ['tel', 'tel'],
  ['url', 'url'],
  ['note', 'note'],
  ['adr', 'adr'],
  ['street-address', 'street-address'],
  ['locality', 'locality'],
  ['region', 'region'],
  ['postal-code', 'postal-code'],
  ['country-name', 'country-name'],
]);
const CLASSIC_PROPERTIES: ReadonlyMap<string, string> = new Map([
  ...[...MF2_PROPERTIES].filter(([name]) => name !== 'name' && name !== 'job-title'),
  ['fn', 'name'],
  ['title', 'job-title'],
  ['organization-name', 'organization-name'],
]);
/** The parts of an address, which may also be in an `h-adr`. */
export const ADDRESS_PROPERTIES = new Set([
  'street-address',
  'locality',
  'region',
  'postal-code',
  'country-name',
]);

export function classesOf(element: HtmlElement): string[] {
  const written = element.attribs['class'];
  if (written === undefined) return [];
  return written
    .slice(0, 1_000)
    .split(/\s+/)
    .filter((name) => name !== '');
}

/** The properties that an element's class names declare. */
export function propertiesOf(classes: readonly string[], isClassic: boolean): string[] {
  const names = classes.map((name) => {
    if (isClassic) return CLASSIC_PROPERTIES.get(name.toLowerCase());
    const [, bare] = /^(?:p|u|e|dt)-(.+)$/.exec(name) ?? [];
    return bare === undefined ? undefined : MF2_PROPERTIES.get(bare);
  });
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The value of a property by the rules of microformats2, with the value class pattern; empty when there is none. */
export function valueOfProperty(
  element: HtmlElement,
  property: string,
  reader: ValueReader,
): string {
  const { attribs, name } = element;
  if (name === 'a' || name === 'area' || name === 'link') {
    const href = attribs['href']?.trim() ?? '';
    if (property === 'url') return absolute(href, reader.base);
    if (property === 'email' && /^mailto:/i.test(href)) return href;
    if (property === 'tel' && /^(?:tel|callto|sms):/i.test(href)) return href;
  }
  if (name === 'abbr' && attribs['title']) return oneLine(attribs['title']);
  if ((name === 'data' || name === 'input') && attribs['value']) return oneLine(attribs['value']);
  if (name === 'meta') return oneLine(attribs['content'] ?? '');
  if (name === 'img' || name === 'area') {
    if (property === 'url') return absolute(attribs['src'] ?? '', reader.base);
    return oneLine(attribs['alt'] ?? '');
  }
  const parts = property === 'note' || property === 'adr' ? null : valueParts(element, reader);
  const text = parts ?? textOf(element, reader, (inner) => classesOf(inner).includes('type'));
  return property === 'url' ? absolute(text, reader.base) : text;
}

/**
 * The values of elements with class `value` or `value-title` inside; null when there are none, empty for a fax
 * number.
 */
function valueParts(element: HtmlElement, reader: ValueReader): string | null {
  const values: string[] = [];
  let type = '';
  for (const inner of elementsIn(element, reader)) {
    const classes = classesOf(inner);
    if (classes.includes('type')) type ||= inner.attribs['title'] ?? textOf(inner, reader);
    else if (classes.includes('value-title')) values.push(inner.attribs['title'] ?? '');
    else if (classes.includes('value')) values.push(valueText(inner, reader));
  }
  if (/^\s*(?:fax|pager|modem)\s*:?$/i.test(type)) return '';
  return values.length === 0 ? null : oneLine(values.join(''));
}

function valueText(element: HtmlElement, reader: ValueReader): string {
  const { attribs, name } = element;
  if (name === 'abbr' && attribs['title']) return attribs['title'];
  if (name === 'data' && attribs['value']) return attribs['value'];
  return textOf(element, reader);
}
