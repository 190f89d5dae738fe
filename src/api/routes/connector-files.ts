import { z } from 'zod';
import { type IncomingFile, readMultipart } from '#src/api/read-multipart.ts';
import { defineRoute, type Route, type RouteRequest } from '#src/api/route.ts';
import type { Principal } from '#src/accounts/principal.ts';
import {
  type ChangedFiles,
  changeConnectorFiles,
  findPollingPairs,
  listConnectorFiles,
} from '#src/connectors/administration/connector-files.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { beginUpload, type Upload } from '#src/files/take-upload.ts';
import type { StoredFileId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';

const CONNECTORS = { tag: 'Connectors', family: 'platform', scope: 'admin' } as const;
const FORM = { accepts: ['multipart/form-data'], rawBody: true } as const;

const connectorParams = z.object({
  id: z.coerce.number().int().min(1).max(2_147_483_647),
});
const flag = z.enum(['true', 'false']).default('true');
const uploadReply = z.object({
  file_paths: z.array(z.string()).describe('Ids for `file_locations` of the connector.'),
  file_names: z.array(z.string()).describe('In the same order; names in a zip keep their folders.'),
  zip_metadata_file_id: z.string().nullable(),
});
const files = z
  .array(z.string().meta({ format: 'binary' }))
  .describe('One part for each file; at most one of them a zip.');
const idsToRemove = z.array(z.uuid().transform((id) => id as StoredFileId)).max(10_000);

export const connectorFileRoutes: Route[] = [
  defineRoute({
    ...CONNECTORS,
    ...FORM,
    method: 'POST',
    path: '/manage/admin/connector/file/upload',
    summary: 'Upload files for a connector of the kind file',
    description:
      'A form with one or more parts named `files`, at most one of them a zip. A zip becomes one file per entry, each described by the `.onyx_metadata.json` or `.millrace_metadata.json` in it. All files are stored, or none.',
    query: z.object({ unzip: flag.describe('false: a zip is stored as it is.') }),
    body: z.object({ files }),
    reply: uploadReply,
    async handle(request) {
      const upload = openUpload(request, request.query.unzip === 'true');
      return keepOrDiscard(upload, async () => {
        await readMultipart(request, (file) => takeFile(upload, file));
        if (upload.files.length === 0) throw noFiles();
        return presentUpload({
          ids: upload.files.map(({ id }) => id),
          names: upload.files.map(({ name }) => name),
          zipMetadataFileId: upload.zipMetadataFileId,
        });
      });
    },
  }),
  defineRoute({
    ...CONNECTORS,
    method: 'GET',
    path: '/manage/admin/connector/{id}/files',
    summary: 'The files of a connector of the kind file',
    params: connectorParams,
    reply: z.object({
      files: z.array(
        z.object({
          file_id: z.string(),
          file_name: z.string(),
          file_size: z.number().int().nullable().describe('Bytes; null when the file is gone.'),
          upload_date: z.iso.datetime().nullable(),
        }),
      ),
    }),
    errors: ['NOT_FOUND'],
    async handle({ services, principal, params }) {
      const files = await listConnectorFiles(services.db, {
        workspaceId: principal.workspaceId,
        connectorId: params.id,
      });
      return {
        files: files.map(({ id, name, byteCount, uploadedAt }) => ({
          file_id: id,
          file_name: name,
          file_size: byteCount,
          upload_date: uploadedAt?.toISOString() ?? null,
        })),
      };
    },
  }),
  defineRoute({
    ...CONNECTORS,
    ...FORM,
    method: 'POST',
    path: '/manage/admin/connector/{id}/files/update',
    summary: 'Add files to a connector of the kind file, and take others from it',
    description:
      'A form with parts named `files`, as for an upload, and `file_ids_to_remove`, a JSON array of ids. Answers with all files that the connector has now, takes the documents of the others out of search, and starts a run of its pairs.',
    params: connectorParams,
    body: z.object({
      files: files.optional(),
      file_ids_to_remove: z.string().optional().describe('A JSON array of ids.'),
    }),
    reply: uploadReply,
    errors: ['NOT_FOUND'],
    async handle(request) {
      const { services, principal, params, requestId } = request;
      const address = { workspaceId: principal.workspaceId, connectorId: params.id };
      await listConnectorFiles(services.db, address); // refuses before anything is stored
      const upload = openUpload(request, true);
      const changed = await keepOrDiscard(upload, async () => {
        const fields = await readMultipart(request, (file) => takeFile(upload, file));
        return changeConnectorFiles(services.db, address, {
          add: upload.files,
          zipMetadataFileId: upload.zipMetadataFileId,
          remove: parseIds(fields.get('file_ids_to_remove')),
        });
      });
      await services.files.remove(principal.workspaceId, changed.orphaned);
      await services.documentAcceptor.enqueue(changed.dropped, requestId);
      for (const ccPairId of await findPollingPairs(services.db, address)) {
        await requestRun(services, {
          workspaceId: principal.workspaceId,
          ccPairId,
          fromBeginning: false,
          followUp: true,
          requestId,
        });
      }
      return presentUpload(changed);
    },
  }),
];

type Request = Pick<RouteRequest<unknown, unknown, unknown, Principal>, 'services' | 'principal'>;

function openUpload({ services, principal }: Request, unzip: boolean): Upload {
  const { workspaceId, userId } = principal;
  return beginUpload(services.files, { workspaceId, createdBy: userId, unzip });
}

async function takeFile(upload: Upload, file: IncomingFile): Promise<void> {
  if (file.field === 'files') return upload.take(file);
  throw new Problem(
    'BAD_REQUEST',
    `The form has a file in the field ${file.field}. Send files in fields named files.`,
  );
}

/** Deletes everything that was uploaded when the request fails. */
async function keepOrDiscard<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

function parseIds(text: string | undefined): StoredFileId[] {
  if (text === undefined || text.trim() === '') return [];
  const wrong = 'file_ids_to_remove must be a JSON array of file ids.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem('BAD_REQUEST', wrong, { cause: error });
  }
  const ids = idsToRemove.safeParse(value);
  if (!ids.success) throw new Problem('BAD_REQUEST', wrong);
  return ids.data;
}

function noFiles(): Problem {
  return new Problem('BAD_REQUEST', 'The form holds no files. Send each in a part named files.');
}

function presentUpload({
  ids,
  names,
  zipMetadataFileId,
}: Omit<ChangedFiles, 'orphaned' | 'dropped'>): z.input<typeof uploadReply> {
  return { file_paths: ids, file_names: names, zip_metadata_file_id: zipMetadataFileId };
}
