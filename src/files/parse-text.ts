import type { ParsedFile } from './parsed-file.ts';
import { titleOfName } from './title-of-name.ts';

/** How many characters of a Markdown file to search for its title. */
const TITLE_WINDOW = 4_000;

/** Text is returned unchanged; a Markdown file takes its title from its front matter or first heading. */
export function parseText(name: string, text: string, kind: 'markdown' | 'text'): ParsedFile {
  const title = (kind === 'markdown' && markdownTitle(text)) || titleOfName(name);
  return { title, sections: [{ text, link: null }], metadata: {} };
}

function markdownTitle(text: string): string | null {
  const head = text.slice(0, TITLE_WINDOW);
  const frontMatter = /^---\n([\s\S]*?)\n---(?:\n|$)/.exec(head);
  const named = /^title:[ \t]*(?:"(.+)"|'(.+)'|(.+))[ \t]*$/m.exec(frontMatter?.[1] ?? '');
  const fromFrontMatter = named?.[1] ?? named?.[2] ?? named?.[3];
  if (fromFrontMatter) return fromFrontMatter.trim();
  const body = withoutCodeFences(head.slice(frontMatter?.[0].length ?? 0));
  const heading =
    /^#[ \t]+(.+?)[ \t]*#*$/m.exec(body)?.[1] ?? /^(\S.*)\n=+[ \t]*$/m.exec(body)?.[1];
  return heading ? plainInline(heading) || null : null;
}

/** A `# comment` inside a code block is not a title. */
function withoutCodeFences(markdown: string): string {
  return markdown.replace(/^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm, '');
}

function plainInline(heading: string): string {
  return heading
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/[*`]/g, '')
    .trim();
}
