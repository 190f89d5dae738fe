import { html as bound } from 'htm/preact';
import type { ComponentChild, ComponentChildren } from 'preact';

/** What a part returns and what may stand inside one. */
export type Part = ComponentChild;
export type Parts = ComponentChildren;

const read = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/**
 * Markup as a tagged template. Values become text or attributes, never markup: nothing in the console writes HTML from
 * a string. A line break counts as a space, as in HTML; the library alone would drop it beside a tag or a value.
 */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Part {
  let spaced = read.get(strings);
  if (spaced === undefined) {
    spaced = withSpaces(strings);
    read.set(strings, spaced);
  }
  return bound(spaced, ...values);
}

function withSpaces(strings: TemplateStringsArray): TemplateStringsArray {
  const last = strings.length - 1;
  const texts = strings.map((text, index) => {
    const started = index === 0 ? text.trimStart() : text;
    return (index === last ? started.trimEnd() : started).replaceAll(/\s*\n\s*/g, ' ');
  });
  return Object.assign(texts, { raw: strings.raw });
}
