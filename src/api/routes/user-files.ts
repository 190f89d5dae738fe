import { z } from 'zod';
import type { Principal } from '#src/accounts/principal.ts';
import { readMultipart } from '#src/api/read-multipart.ts';
import { contentReply, withStatus } from '#src/api/reply.ts';
import { defineRoute, type Route, type RouteRequest } from '#src/api/route.ts';
import { contentHeaders } from '#src/chat/user-files/content-headers.ts';
import { deleteUserFile } from '#src/chat/user-files/delete-user-file.ts';
import { findChatFile, readChatFile } from '#src/chat/user-files/find-chat-file.ts';
import { legacyFileSchema, presentLegacyFile } from '#src/chat/user-files/present-legacy-file.ts';
import { presentUserFile, userFileSchema } from '#src/chat/user-files/present-user-file.ts';
import { readProjectId, readTempIds } from '#src/chat/user-files/upload-fields.ts';
import { beginUserUpload, type UserUpload } from '#src/chat/user-files/upload-user-files.ts';
import { findUserFile, findUserFiles, listRecentFiles } from '#src/chat/user-files/user-files.ts';
import { Problem } from '#src/platform/errors.ts';

const FILES = { tag: 'Projects', family: 'platform' } as const;
const FORM = { accepts: ['multipart/form-data'], rawBody: true } as const;
/** The content of an id never changes. */
const IMMUTABLE = 'private, max-age=31536000, immutable';
const MAX_STATUSES = 1_000;

const oneFile = z.object({ file_id: z.string() });
const parts = z
  .array(z.string().meta({ format: 'binary' }))
  .describe('One part for each file, all of this name.');

export const userFileRoutes: Route[] = [
  defineRoute({
    ...FILES,
    ...FORM,
    scope: 'member',
    method: 'POST',
    path: '/user/projects/file/upload',
    summary: 'Upload files for chats and projects',
    description:
      'What is in a file decides what it is, not its name. Text, documents and tables are read afterwards: they are PROCESSING until they are COMPLETED or FAILED. A file that cannot be used is named in `rejected_files`, and the others are kept.',
    body: z.object({
      files: parts,
      project_id: z.int().optional(),
      temp_id_map: z
        .string()
        .optional()
        .describe(
          'JSON object: `<size>|<first 50 characters of the file name>` → an id of yours, which comes back as `temp_id`.',
        ),
    }),
    reply: z.object({
      user_files: z.array(userFileSchema),
      rejected_files: z.array(z.object({ file_name: z.string(), reason: z.string() })),
    }),
    errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
    handle: (request) =>
      withUpload(request, async (upload, fields) => {
        const tempIds = readTempIds(fields.get('temp_id_map'));
        const projectId = readProjectId(fields.get('project_id'));
        const { requestId } = request;
        const files = await upload.finish({ projectId, requestId });
        return {
          user_files: files.map(({ row, tempKey }) =>
            presentUserFile(row, tempIds.get(tempKey) ?? null),
          ),
          rejected_files: [...upload.rejected],
        };
      }),
  }),
  defineRoute({
    ...FILES,
    scope: 'read',
    method: 'POST',
    path: '/user/projects/file/statuses',
    summary: 'Several of your files, to see which are read',
    description: 'Ids that are not of your files are left out.',
    body: z.object({ file_ids: z.array(z.uuid()).max(MAX_STATUSES) }),
    reply: z.array(userFileSchema),
    async handle({ services, principal, body }) {
      const rows = await findUserFiles(services.db, principal, body.file_ids);
      return rows.map((row) => presentUserFile(row));
    },
  }),
  defineRoute({
    ...FILES,
    scope: 'read',
    method: 'GET',
    path: '/user/projects/file/{file_id}',
    summary: 'A file of yours',
    params: oneFile,
    reply: userFileSchema,
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params }) {
      return presentUserFile(await findUserFile(services.db, principal, params.file_id));
    },
  }),
  defineRoute({
    ...FILES,
    scope: 'member',
    method: 'DELETE',
    path: '/user/projects/file/{file_id}',
    summary: 'Delete a file of yours, unless a project has it',
    params: oneFile,
    reply: z.object({
      has_associations: z.boolean().describe('true: nothing was deleted.'),
      project_names: z.array(z.string()),
      assistant_names: z.array(z.string()),
    }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params }) {
      const { projectNames } = await deleteUserFile(services, principal, params.file_id);
      return {
        has_associations: projectNames.length > 0,
        project_names: projectNames,
        assistant_names: [],
      };
    },
  }),
  defineRoute({
    ...FILES,
    scope: 'read',
    method: 'GET',
    path: '/user/files/recent',
    summary: 'The 100 files that you have uploaded or used last',
    reply: z.array(userFileSchema),
    async handle({ services, principal }) {
      const rows = await listRecentFiles(services.db, principal);
      return rows.map((row) => presentUserFile(row));
    },
  }),
  defineRoute({
    ...FILES,
    ...FORM,
    scope: 'member',
    method: 'POST',
    path: '/user/file/upload',
    summary: 'Upload files the old way, and images for documents',
    description:
      '`file_id` of the answer is what `image_file_id` of a section names. All files are kept, or none. New clients use /user/projects/file/upload.',
    body: z.object({ files: parts, folder_id: z.int().optional() }),
    reply: z.array(legacyFileSchema),
    errors: ['SERVICE_UNAVAILABLE'],
    handle: (request) =>
      withUpload(request, async (upload) => {
        const [rejected] = upload.rejected;
        if (rejected) throw new Problem('BAD_REQUEST', rejected.reason);
        const { requestId } = request;
        const files = await upload.finish({ projectId: null, requestId });
        return files.map(({ row }) => presentLegacyFile(row));
      }),
  }),
  defineRoute({
    tag: 'Chat',
    family: 'platform',
    scope: 'read',
    method: 'GET',
    path: '/chat/file/{file_id}',
    summary: 'The bytes of a file that you have uploaded, or that a chat has made for you',
    description:
      'Images, PDF and plain text are shown by browsers, other text comes as plain text, and everything else is a download. What is under an id never changes.',
    params: oneFile,
    requestHeaders: [
      { name: 'If-None-Match', description: 'The ETag of a copy that you have.', required: false },
    ],
    produces: ['application/octet-stream'],
    reply: z.string(),
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ services, principal, params, headers }) {
      const file = await findChatFile(services, principal, params.file_id);
      const etag = `"${file.id}"`;
      const caching = { ETag: etag, 'Cache-Control': IMMUTABLE };
      if (hasCopy(headers['if-none-match'], etag)) return withStatus(304, '', caching);
      const { contentType, headers: content } = contentHeaders(file);
      const bytes = await readChatFile(services, principal, file);
      return contentReply(contentType, bytes, { ...content, ...caching });
    },
  }),
];

type UploadRequest = RouteRequest<unknown, unknown, unknown, Principal>;

/** Stores the files of the form; deletes all of them when the request fails. */
async function withUpload<T>(
  request: UploadRequest,
  finish: (upload: UserUpload, fields: Map<string, string>) => Promise<T>,
): Promise<T> {
  const upload = beginUserUpload(request.services, request.principal, request.signal);
  let taken = 0;
  try {
    const fields = await readMultipart(request, async ({ field, ...file }) => {
      if (field !== 'files') {
        throw new Problem(
          'BAD_REQUEST',
          `The form has a file in the field ${field}. Send files in fields named files.`,
        );
      }
      taken += 1;
      await upload.take(file);
    });
    if (taken === 0) {
      throw new Problem('BAD_REQUEST', 'The form holds no files. Send each in a part named files.');
    }
    return await finish(upload, fields);
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

/** RFC 9110, section 13.1.2. */
function hasCopy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
