import type { UploadedFiles, UserFileSnapshot } from './api-types.ts';
import type { Connection } from './connection.ts';
import { MillraceError } from './millrace-error.ts';

const UPLOAD_TIMEOUT_MS = 10 * 60_000;
const LOOK_EVERY_MS = 500;
const READ_TIMEOUT_MS = 5 * 60_000;

export interface UploadOptions {
  /** Also adds them to this project. */
  projectId?: number;
  signal?: AbortSignal;
}

/**
 * Uploads files for chats and projects. A path refers to a file on this machine, which is streamed. `rejected_files` of
 * the answer lists the files that cannot be used, with reasons; the others are kept.
 */
export async function uploadFiles(
  connection: Connection,
  files: readonly (string | File)[],
  { projectId, signal }: UploadOptions = {},
): Promise<UploadedFiles> {
  const form = new FormData();
  for (const file of files)
    form.append('files', typeof file === 'string' ? await open(file) : file);
  if (projectId !== undefined) form.append('project_id', String(projectId));
  return connection.json('POST', '/user/projects/file/upload', {
    form,
    signal,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
}

/**
 * Waits until files have been read: text, documents and tables are `PROCESSING` for a moment after their upload.
 * @returns their final state, `COMPLETED` or `FAILED`
 * @throws MillraceError TIMEOUT after five minutes
 */
export async function filesRead(
  connection: Connection,
  files: readonly UserFileSnapshot[],
  signal?: AbortSignal,
): Promise<UserFileSnapshot[]> {
  const latest = new Map(files.map((file) => [file.id, file]));
  const unread = (): string[] =>
    [...latest.values()].filter(({ status }) => status === 'PROCESSING').map(({ id }) => id);
  for (let look = 0; unread().length > 0; look += 1) {
    if (look * LOOK_EVERY_MS > READ_TIMEOUT_MS) {
      throw new MillraceError(
        'The uploaded files have still not been read. Are the workers running?',
        {
          status: null,
          errorCode: 'TIMEOUT',
        },
      );
    }
    if (look > 0) await connection.wait(LOOK_EVERY_MS, signal);
    const seen = await connection.json<UserFileSnapshot[]>('POST', '/user/projects/file/statuses', {
      body: { file_ids: unread() },
      signal,
    });
    for (const file of seen) latest.set(file.id, file);
  }
  return [...latest.values()];
}

/** Node's modules are imported only for a path: browsers have `File`s. */
async function open(path: string): Promise<File> {
  const { openAsBlob } = await import('node:fs');
  const name = path.split(/[/\\]/).at(-1) ?? path;
  return new File([await openAsBlob(path)], name);
}
