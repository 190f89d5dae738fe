import type { CallToolResult } from './mcp-session.ts';
import { hideSecrets, readServiceAnswer, readText, type ServiceAnswer } from './service-answer.ts';

const MAX_FILES = 10;

/** The result of a tool: its structured content or its text first, then its images. */
export function readMcpResult(
  { content, structuredContent }: CallToolResult,
  secrets: readonly string[],
): ServiceAnswer[] {
  const texts: string[] = [];
  const files: ServiceAnswer[] = [];
  for (const item of content) {
    const part = partOf(item, secrets);
    if (typeof part === 'string') texts.push(part);
    else if (files.length < MAX_FILES) files.push(part);
  }
  const text =
    structuredContent === undefined ? texts.join('\n') : JSON.stringify(structuredContent);
  const answer = readText(hideSecrets(text, secrets));
  return text === '' && files.length > 0 ? files : [answer, ...files];
}

function partOf(
  item: CallToolResult['content'][number],
  secrets: readonly string[],
): string | ServiceAnswer {
  switch (item.type) {
    case 'text':
      return item.text;
    case 'image':
    case 'audio':
      return fileOf(item.data, item.mimeType, secrets);
    case 'resource_link':
      return `${item.name}: ${item.uri}`;
    case 'resource':
      return 'text' in item.resource
        ? item.resource.text
        : fileOf(item.resource.blob, item.resource.mimeType ?? '', secrets);
  }
}

/** An image, or a text that says what it is. */
function fileOf(
  base64: string,
  mediaType: string,
  secrets: readonly string[],
): string | ServiceAnswer {
  const bytes = Buffer.from(base64, 'base64');
  const answer = readServiceAnswer({ bytes, mediaType, isCut: false }, secrets);
  return answer.type === 'image' ? answer : 'text' in answer ? answer.text : '';
}
