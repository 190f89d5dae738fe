const MAX_LINES = 60;
const FIELD = /^([A-Za-z][\w-]{0,40}):(?:\s+(.{1,500}))?$/;
const SUMMARY = /^(?:description|summary|abstract|excerpt)$/i;

/**
 * The lines of a Markdown text with what its front matter says of it as a definition of its title; other fields, such
 * as a date or an author, are dropped.
 */
export function readFrontMatter(lines: readonly string[]): readonly string[] {
  if (lines[0]?.trimEnd() !== '---') return lines;
  const end = lines.slice(0, MAX_LINES).findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end === -1) return lines;
  const fields = lines.slice(1, end).flatMap((line) => {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    return value === '' ? [] : [{ name, value: value.replace(/^(["'])(.*)\1\s*$/, '$2').trim() }];
  });
  if (fields.length === 0) return lines;
  const title = fields.find(({ name }) => name.toLowerCase() === 'title')?.value ?? '';
  const summary = fields.find(({ name }) => SUMMARY.test(name))?.value ?? '';
  const said = summary === '' ? [] : title === '' ? [summary, ''] : [title, `: ${summary}`, ''];
  return [...said, ...lines.slice(end + 1)];
}
