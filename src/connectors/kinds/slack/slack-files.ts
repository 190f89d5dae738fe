import { GiveUp } from '#src/platform/errors.ts';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { readableName } from '#src/connectors/source/readable-file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { SlackApi } from './slack-api.ts';
import type { SlackFile } from './slack-file.ts';
import type { SlackMessage } from './slack-history.ts';

/** Per thread. */
const MAX_FILES = 20;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

export interface ReadFiles {
  /** The text of each file that has one, headed by the file's name. */
  texts: { ts: string; text: string }[];
  /** "report.pdf: more than 10 MB" */
  unread: string[];
}

/** The texts of files in a thread. An unreadable file is listed with the reason. */
export async function readSlackFiles(
  api: SlackApi,
  parse: ConnectorContext['parse'],
  messages: readonly SlackMessage[],
): Promise<ReadFiles> {
  const read: ReadFiles = { texts: [], unread: [] };
  const seen = new Set<string>();
  for (const { ts, files } of messages) {
    for (const file of files ?? []) {
      const name = file.name || file.title || 'file';
      const parserName = readableName(name, file.mimetype ?? null);
      if (parserName === null || (file.id && seen.has(file.id))) continue;
      if (file.id) seen.add(file.id);
      const found =
        read.texts.length >= MAX_FILES
          ? { unread: `more than ${MAX_FILES} files` }
          : await readFile(api, parse, file, parserName);
      if ('unread' in found) read.unread.push(`${name}: ${found.unread}`);
      else if (found.text !== '') read.texts.push({ ts, text: `# ${name}\n\n${found.text}` });
    }
  }
  return read;
}

async function readFile(
  api: SlackApi,
  parse: ConnectorContext['parse'],
  file: SlackFile,
  parserName: string,
): Promise<{ text: string } | { unread: string }> {
  const tooLarge = `more than ${MAX_FILE_BYTES / 1024 / 1024} MB`;
  if ((file.size ?? 0) > MAX_FILE_BYTES) return { unread: tooLarge };
  try {
    const full = file.file_access === 'check_file_info' && file.id ? await api.file(file.id) : file;
    if (full.is_external === true) return { unread: 'it is stored outside Slack' };
    const url = full.url_private_download ?? full.url_private;
    if (!url) return { unread: 'Slack gives no address for it' };
    const bytes = await api.download(url, MAX_FILE_BYTES, isHtml(parserName));
    const { sections } = await parse({ name: parserName, bytes });
    return { text: sections.map(({ text }) => text).join('\n\n') };
  } catch (error) {
    if (error instanceof SourceRefused || error instanceof GiveUp) return { unread: error.message };
    throw error;
  }
}

function isHtml(name: string): boolean {
  return /\.x?html?$/i.test(name);
}
