/** Elements for foreign content in a prompt. */
export type PromptElement =
  | 'agent_instructions'
  | 'project_instructions'
  | 'attachment'
  | 'context'
  | 'documents';

const ELEMENTS: readonly PromptElement[] = [
  'agent_instructions',
  'project_instructions',
  'attachment',
  'context',
  'documents',
];
/** Tags that would open or close one of our elements, and the turn marks of common chat templates. */
const TAG = new RegExp(String.raw`<(?=[\s/]*(?:${ELEMENTS.join('|')})(?![\w-])|\|\w+\|>)`, 'gi');
/** Unicode tag characters: invisible to readers, but some models read them as letters. */
const HIDDEN = /[\u{e0000}-\u{e007f}]/gu;

/** `content` inside an element that nothing in it can close. `name` becomes an attribute. */
export function delimit(element: PromptElement, content: string, name?: string): string {
  const attribute = name === undefined ? '' : ` name=${JSON.stringify(escapeTags(name))}`;
  return `<${element}${attribute}>\n${escapeTags(content)}\n</${element}>`;
}

/** Text in which none of our tags opens or closes, and nothing is hidden. */
function escapeTags(text: string): string {
  return text.replaceAll(HIDDEN, '').replaceAll(TAG, '&lt;');
}

/** JSON of documents with `<` escaped, so that no document can close the element around it. */
export function delimitJson(element: PromptElement, json: string): string {
  return `<${element}>\n${escapeJson(json)}\n</${element}>`;
}

/** A tool's response, JSON or text, without tags that a model would interpret. */
export function escapeResult(text: string): string {
  return isJson(text) ? escapeJson(text) : escapeTags(text);
}

function escapeJson(json: string): string {
  return json.replaceAll(HIDDEN, '').replaceAll('<', String.raw`\u003c`);
}

function isJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
