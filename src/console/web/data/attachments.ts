import { signal } from '@preact/signals';
import { call } from './call.ts';
import type { Operations } from './api-types.ts';

type UserFile = Operations['POST /user/projects/file/upload']['reply']['user_files'][number];

/** A file for the next question: uploaded, and perhaps still being read. */
export type Attachment = Pick<UserFile, 'id' | 'file_id' | 'name' | 'status' | 'error'>;

export const attachments = signal<readonly Attachment[]>([]);
/** Names of the files that are being uploaded. */
export const uploading = signal<readonly string[]>([]);

/**
 * Uploads files for the next question.
 * @returns why some of them cannot be used
 */
export async function attach(files: readonly File[]): Promise<string[]> {
  if (files.length === 0) return [];
  const names = files.map(({ name }) => name);
  uploading.value = [...uploading.peek(), ...names];
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  try {
    const reply = await call('POST /user/projects/file/upload', { form, timeoutMs: null });
    attachments.value = [...attachments.peek(), ...reply.user_files];
    return reply.rejected_files.map(({ reason }) => reason);
  } finally {
    const left = [...uploading.peek()];
    for (const name of names) left.splice(left.indexOf(name), 1);
    uploading.value = left;
  }
}

export function detach(id: string): void {
  attachments.value = attachments.peek().filter((one) => one.id !== id);
}

export function isBeingRead({ status }: Attachment): boolean {
  return status === 'PROCESSING';
}

/** What the event stream told of a file. */
export function takeAttachment(told: Attachment): void {
  attachments.value = attachments.peek().map((one) => (one.id === told.id ? told : one));
}

/** Asks how far those are that are being read; one that is not there any more was deleted. */
export async function askForAttachments(): Promise<void> {
  const waiting = attachments.peek().filter(isBeingRead);
  if (waiting.length === 0) return;
  const ids = waiting.map(({ id }) => id);
  const found = await call('POST /user/projects/file/statuses', { body: { file_ids: ids } });
  const byId = new Map(found.map((file) => [file.id, file]));
  attachments.value = attachments.peek().map((one) => {
    if (!ids.includes(one.id)) return one;
    return byId.get(one.id) ?? { ...one, status: 'FAILED', error: 'It was deleted.' };
  });
}

/** After they were sent with a question, and when the page is left: they are of one person and workspace. */
export function clearAttachments(): void {
  attachments.value = [];
}
