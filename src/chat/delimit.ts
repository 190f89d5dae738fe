/** Elements that hold what is not ours in a prompt. */
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
const TAG_OF_OURS = new RegExp(String.raw`<(?=[\s/]*(?:${ELEMENTS.join('|')})(?![\w-]))`, 'gi');

/** `content` inside an element that nothing in it can close. A name becomes an attribute. */
export function delimit(element: PromptElement, content: string, name?: string): string {
  const attribute = name === undefined ? '' : ` name=${JSON.stringify(escapeTags(name))}`;
  return `<${element}${attribute}>\n${escapeTags(content)}\n</${element}>`;
}

/** Text in which no tag of ours opens or closes. */
function escapeTags(text: string): string {
  return text.replaceAll(TAG_OF_OURS, '&lt;');
}

/** JSON of documents: `<` escaped, so that no document can close the element that it stands in. */
export function delimitJson(element: PromptElement, json: string): string {
  return `<${element}>\n${json.replaceAll('<', String.raw`\u003c`)}\n</${element}>`;
}
