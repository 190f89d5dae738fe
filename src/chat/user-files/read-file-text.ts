import { cleanText } from '#src/documents/clean-text.ts';
import { countTokens } from '#src/documents/count-tokens.ts';
import type { FileToParse, ParsedSection } from '#src/files/parsed-file.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { TaskOptions } from '#src/platform/guarded-processes.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';

export interface FileText {
  sections: ParsedSection[];
  text: string;
  tokenCount: number;
}

/**
 * The text of an uploaded file, as its parser extracts it.
 * @throws GiveUp with the reason when it cannot be read or has more than MAX_FILE_TOKENS
 */
export async function readFileText(
  { parsers, config }: Pick<ChatServices, 'parsers' | 'config'>,
  file: FileToParse & TaskOptions,
): Promise<FileText> {
  const parsed = await parsers.parse(file);
  const sections = parsed.sections.map((section) => ({
    ...section,
    text: cleanText(section.text),
  }));
  const text = sections.map((section) => section.text.trim()).join('\n\n');
  const tokenCount = countTokens(text);
  if (tokenCount <= config.MAX_FILE_TOKENS) return { sections, text, tokenCount };
  const thousands = Math.ceil(tokenCount / 1_000);
  throw new GiveUp(
    `${file.name} has about ${thousands} K tokens; the limit is ${config.MAX_FILE_TOKENS / 1_000} K (MAX_FILE_TOKENS). Split it.`,
  );
}
