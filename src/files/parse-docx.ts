import mammoth from 'mammoth';
import { GiveUp } from '#src/platform/errors.ts';
import { checkZip } from './check-zip.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import type { FileToParse, ParsedFile } from './parsed-file.ts';
import { titleOfName } from './title-of-name.ts';

/**
 * A Word document as Markdown: headings, lists, tables and links kept, pictures dropped.
 * @throws GiveUp when the container is damaged or unpacks beyond the limits
 */
export async function parseDocx({ name, bytes }: FileToParse): Promise<ParsedFile> {
  await checkZip({ name, bytes, format: 'DOCX' });
  const markdown = htmlToMarkdown(await toHtml(name, bytes));
  const heading = /^#{1,2} (.+)$/m.exec(markdown)?.[1]?.trim();
  return {
    title: heading || titleOfName(name),
    sections: [{ text: markdown, link: null }],
    metadata: {},
  };
}

async function toHtml(name: string, bytes: Uint8Array): Promise<string> {
  try {
    const result = await mammoth.convertToHtml(
      { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) },
      {
        externalFileAccess: false,
        // Without this, every picture becomes a data URL in the text.
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      },
    );
    return result.value;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new GiveUp(`${name} is a damaged DOCX file: ${detail}`, { cause: error });
  }
}
