import type { CheerioAPI } from 'cheerio';
import { resourceName, selectorOf, spanOf, type StorageNodes } from './storage-nodes.ts';

const BOXES = new Set(['info', 'note', 'warning', 'tip', 'panel', 'success', 'error', 'decision']);
/** Macros without a body whose text is a parameter. */
const TEXT_PARAMETERS: Record<string, string> = {
  status: 'title',
  jira: 'key',
  widget: 'url',
  iframe: 'src',
  mathinline: 'body',
};

/**
 * Replaces one macro with HTML. Macros inside it have been replaced before.
 * https://confluence.atlassian.com/doc/confluence-storage-format-for-macros-282175840.html
 */
export function replaceMacro(page: CheerioAPI, macro: StorageNodes): void {
  const name = (macro.attr('ac:name') ?? '').toLowerCase();
  const parameter = (key: string): string =>
    macro
      .children(`${selectorOf('ac:parameter')}[ac\\:name="${key}"]`)
      .first()
      .text()
      .trim();
  const title = name === 'status' ? '' : parameter('title');
  const rich = macro.children(selectorOf('ac:rich-text-body'));
  const plain = macro.children(selectorOf('ac:plain-text-body'));
  if (title !== '' && rich.length + plain.length > 0) {
    macro.before(page('<p>').append(page('<strong>').text(title)));
  }
  if (plain.length > 0) {
    macro.replaceWith(codeBlock(page, parameter('language'), plain.text()));
  } else if (rich.length > 0) {
    const body = BOXES.has(name) ? page('<blockquote>') : page('<div>');
    macro.replaceWith(body.append(rich.contents()));
  } else {
    macro.replaceWith(spanOf(page, parameterText(name, macro, parameter)));
  }
}

function codeBlock(page: CheerioAPI, language: string, text: string): string {
  const code = page('<code>').text(text);
  if (/^[\w+#-]+$/.test(language)) code.attr('class', `language-${language}`);
  return page('<div>').append(page('<pre>').append(code)).html() ?? '';
}

function parameterText(
  name: string,
  macro: StorageNodes,
  parameter: (key: string) => string,
): string {
  const key = TEXT_PARAMETERS[name];
  if (key) return parameter(key);
  // Macros that show a file reference it as a resource in a parameter.
  const holder = macro.children(`${selectorOf('ac:parameter')}[ac\\:name="name"]`);
  return resourceName(holder);
}
