export interface AdfMark {
  type: string;
  attrs: Record<string, unknown>;
}

const WRAPPERS: Record<string, string> = { strong: '**', em: '_', strike: '~~' };

/**
 * Text with its marks as Markdown. Colours, underlines and the like carry no meaning in text.
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/marks/link/
 */
export function markedText(text: string, marks: readonly AdfMark[]): string {
  if (text.trim() === '') return text;
  // Markdown allows no white space just inside its marks.
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  let core = text.slice(start, end);
  if (marks.some(({ type }) => type === 'code')) core = codeSpan(core);
  for (const { type, attrs } of marks) {
    const wrapper = WRAPPERS[type];
    if (wrapper) core = wrapper + core + wrapper;
    const href = attrs['href'];
    if (type === 'link' && typeof href === 'string' && href !== core) core = `[${core}](${href})`;
  }
  return text.slice(0, start) + core + text.slice(end);
}

function codeSpan(code: string): string {
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``;
}
