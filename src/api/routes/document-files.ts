import { z } from 'zod';
import { ingestedFileSchema, ingestFile } from '#src/api/ingest-file.ts';
import { readMultipart } from '#src/api/read-multipart.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { Problem } from '#src/platform/errors.ts';

const MAX_FILES = 100;

export const documentFileRoutes: Route[] = [
  defineRoute({
    tag: 'Ingestion',
    family: 'platform',
    scope: 'ingest',
    method: 'POST',
    path: '/documents/files',
    summary: 'Accept files for indexing, each as a document',
    description: `A form with up to ${MAX_FILES} parts named \`files\`: text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, TSV, EML or EPUB. The name of a file is the id of its document, so that sending it again updates it. Answered once each file is read and its document stored; a file that cannot be used is answered in its place and fails alone.`,
    accepts: ['multipart/form-data'],
    rawBody: true,
    body: z.object({
      files: z
        .array(z.string().meta({ format: 'binary' }))
        .describe('One part for each file, all of this name.'),
    }),
    reply: z.object({
      results: z.array(ingestedFileSchema),
      accepted: z.int(),
      failed: z.int(),
    }),
    errors: ['PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
    async handle(request) {
      const { services, principal, requestId, signal } = request;
      const results: z.input<typeof ingestedFileSchema>[] = [];
      await readMultipart(request, async (file) => {
        if (file.field !== 'files' || results.length === MAX_FILES) throw wrongPart(file.field);
        const caller = { principal, requestId, signal };
        results.push(await ingestFile(services, caller, file, request.incoming.hold));
      });
      if (results.length === 0) {
        throw new Problem(
          'BAD_REQUEST',
          'The form holds no files. Send each in a part named files.',
        );
      }
      const accepted = results.filter((result) => 'document_id' in result).length;
      return { results, accepted, failed: results.length - accepted };
    },
  }),
];

function wrongPart(field: string): Problem {
  return field === 'files'
    ? new Problem(
        'PAYLOAD_TOO_LARGE',
        `The form has more than ${MAX_FILES} files. Send the others in another request.`,
      )
    : new Problem(
        'BAD_REQUEST',
        `The form has a file in the field ${field}. Send files in fields named files.`,
      );
}
