import { type ConnectorContext, type ConnectorPage, pageOf } from './connector.ts';
import type { DriveApi, DriveFile } from './drive-api.ts';
import { addFiles, fileIdOf, readerKey } from './drive-files.ts';

const MAX_READERS_TRIED = 20;

/** Reads files again that failed in an earlier run, as whoever can see them; what nobody sees is gone. */
export async function fetchFilesAgain(
  documentIds: readonly string[],
  subjects: readonly (string | null)[],
  api: DriveApi,
  context: ConnectorContext,
): Promise<ConnectorPage<null>> {
  const page = pageOf({ checkpoint: null, description: `${documentIds.length} files again` });
  const readers = await context.recall(
    documentIds.flatMap((id) => fileIdOf(id) ?? []).map(readerKey),
  );
  for (const documentId of documentIds) {
    const fileId = fileIdOf(documentId);
    const reader = readers.get(readerKey(fileId ?? ''));
    // Who read it is remembered; what ingestion refused was read by one of them.
    const tried = typeof reader === 'string' ? [reader] : subjects.slice(0, MAX_READERS_TRIED);
    const found = fileId === null ? null : await findFile(fileId, tried, api);
    if (found && found.file.trashed !== true) {
      await addFiles(page, [found.file], found.subject, api, context);
    } else if (found === null && tried.length < subjects.length && reader === undefined) {
      const reason = `None of the first ${tried.length} users can see the file.`;
      page.failures.push({ documentId, link: documentId, entityId: null, reason });
    } else page.removed.push(documentId);
  }
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
