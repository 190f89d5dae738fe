import {
  type ConnectorContext,
  type ConnectorPage,
  pageOf,
} from '#src/connectors/source/connector.ts';
import type { DriveApi, DriveFile } from './drive-api.ts';
import { addFiles, fileIdOf, readerKey } from './drive-files.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { mergePages } from '#src/connectors/source/merge-pages.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';

const MAX_READERS_TRIED = 20;
/** Each file is held in memory until it is parsed. */
const FILES_AT_ONCE = 4;

type Page = Omit<ConnectorPage<unknown>, 'checkpoint'>;

/** Rereads files that failed in an earlier run, as any user who can see them; a file that no user can see is gone. */
export async function* fetchFilesAgain(
  documentIds: readonly string[],
  subjects: readonly (string | null)[],
  api: DriveApi,
  context: ConnectorContext,
): AsyncGenerator<Page> {
  for (let start = 0; start < documentIds.length; start += FILES_AT_ONCE) {
    const ids = documentIds.slice(start, start + FILES_AT_ONCE);
    const readers = await context.recall(ids.flatMap((id) => fileIdOf(id) ?? []).map(readerKey));
    const { results, failures } = await fetchEach(
      ids,
      (id) => id,
      (id) =>
        fetchFileAgain(id, readers.get(readerKey(fileIdOf(id) ?? '')), subjects, api, context),
    );
    yield mergePages([{ failures }, ...results], `${documentIds.length} files again`);
  }
}

async function fetchFileAgain(
  documentId: string,
  reader: unknown,
  subjects: readonly (string | null)[],
  api: DriveApi,
  context: ConnectorContext,
): Promise<Page> {
  const page = pageOf({ checkpoint: null, description: 'a file again' });
  const fileId = fileIdOf(documentId);
  // The reader is remembered; a file refused at ingestion was read by one of the users.
  const tried = typeof reader === 'string' ? [reader] : subjects.slice(0, MAX_READERS_TRIED);
  const found = fileId === null ? null : await findFile(fileId, tried, api);
  if (found && found.file.trashed !== true) {
    const time = startPageTime(context.clock);
    await addFiles(page, [found.file], found.subject, { api, context, time });
  } else if (found === null && tried.length < subjects.length && reader === undefined) {
    const reason = `None of the first ${tried.length} users can see the file.`;
    page.failures.push({ documentId, link: documentId, entityId: null, reason });
  } else page.removed.push(documentId);
  return page;
}

async function findFile(
  fileId: string,
  subjects: readonly (string | null)[],
  api: DriveApi,
): Promise<{ file: DriveFile; subject: string | null } | null> {
  for (const subject of subjects) {
    const file = await api.file(subject, fileId);
    if (file !== null) return { file, subject };
  }
  return null;
}
