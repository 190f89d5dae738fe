import { z } from 'zod';
import type { StoredFileId } from '#src/ids.ts';

const fileId = z
  .uuid('must be an id that POST /manage/admin/connector/file/upload answered')
  .transform((id) => id as StoredFileId); // branded where it is parsed

/** The key under which the connector remembers a file and the document that it became. */
export function fileKey(id: StoredFileId): string {
  return `file:${id}`;
}

export const fileSettings = z.strictObject({
  file_locations: z
    .array(fileId)
    .min(1)
    .describe('Ids of uploaded files: `file_paths` of POST /manage/admin/connector/file/upload.')
    .meta({ title: 'Files', 'x-upload': 'file_paths' }),
  file_names: z
    .array(z.string())
    .nullish()
    .describe('Their names in the same order; by default those of the upload.')
    .meta({ 'x-upload': 'file_names' }),
  zip_metadata_file_id: fileId
    .nullish()
    .describe('`zip_metadata_file_id` of the upload: what is said about the files.')
    .meta({ 'x-upload': 'zip_metadata_file_id' }),
  zip_metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe('Older form of the same: file name → object of keys and values.')
    .meta({ deprecated: true }),
});
export type FileSettings = z.output<typeof fileSettings>;

export const fileCredential = z.strictObject({
  pdf_password: z
    .string()
    .min(1)
    .nullish()
    .describe('Opens the protected PDF files among them; may be left out.')
    .meta({ title: 'Password of PDF files', writeOnly: true }),
});
export type FileCredential = z.output<typeof fileCredential>;
