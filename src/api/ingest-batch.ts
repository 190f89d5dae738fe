import { z } from 'zod';
import { ingestionItemSchema } from '#src/documents/incoming-document.ts';
import { acceptedSchema } from '#src/documents/present-document.ts';
import { Problem } from '#src/platform/errors.ts';
import { mapInOrder } from '#src/platform/map-in-order.ts';
import { acceptItem, type IngestCaller, type IngestServices } from './ingest-item.ts';
import { parsePart } from './parse-request.ts';
import { toProblem } from './problem.ts';
import { parseJson } from './read-body.ts';

export const MAX_BATCH = 1_000;
/** Lines of a stream under way at once: enough to fill a flush, few enough to hold in memory. */
const LINES_UNDER_WAY = 512;

const refusedSchema = z.object({ error_code: z.string(), detail: z.string() });

/** One result per item, in order: accepted, or refused with its reason. */
export const batchReplySchema = z.object({
  results: z.array(
    z.object({ index: z.number().int() }).and(z.union([acceptedSchema, refusedSchema])),
  ),
  accepted: z.number().int(),
  failed: z.number().int(),
});

type ItemResult = z.input<typeof acceptedSchema> | z.input<typeof refusedSchema>;

// Only the frame is checked as a whole; each item is checked, and fails, alone.
const frameSchema = z.object({ documents: z.array(z.unknown()).min(1).max(MAX_BATCH) });

export async function acceptBatch(
  services: IngestServices,
  caller: IngestCaller,
  body: unknown,
): Promise<z.input<typeof batchReplySchema>> {
  const { documents } = parsePart('body', frameSchema, body) as z.output<typeof frameSchema>;
  const results = await Promise.all(
    documents.map(async (document, index) => ({
      index,
      ...(await settleItem(services, caller, () => document)),
    })),
  );
  const failed = results.filter((result) => 'error_code' in result).length;
  return { results, accepted: results.length - failed, failed };
}

/** Answers each line with a line, in order, as its document is committed. */
export async function* acceptLines(
  services: IngestServices,
  caller: IngestCaller,
  lines: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  const results = mapInOrder(lines, LINES_UNDER_WAY, async (line, index) => ({
    index,
    ...(await settleItem(services, caller, () => parseLine(line, services.config.MAX_DOCUMENT_BYTES))),
  }));
  for await (const result of results) yield `${JSON.stringify(result)}\n`;
}

async function settleItem(
  services: IngestServices,
  caller: IngestCaller,
  read: () => unknown,
): Promise<ItemResult> {
  try {
    const item = parsePart('body', ingestionItemSchema, read());
    // The schema of this very call made it.
    return await acceptItem(services, caller, item as z.output<typeof ingestionItemSchema>);
  } catch (error) {
    const problem = toProblem(error);
    return { error_code: problem.code, detail: problem.message };
  }
}

function parseLine(line: string, maxBytes: number): unknown {
  if (Buffer.byteLength(line) > maxBytes * 2) {
    throw new Problem(
      'PAYLOAD_TOO_LARGE',
      `The line is longer than a document may be (${maxBytes} bytes, MAX_DOCUMENT_BYTES). Split the document.`,
    );
  }
  return parseJson(Buffer.from(line));
}
