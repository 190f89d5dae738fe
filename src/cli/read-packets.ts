import { z } from 'zod';
import { parseJson } from './api-failure.ts';
import { readLines } from './read-lines.ts';

const document = z.object({
  document_id: z.string(),
  semantic_identifier: z.string(),
  link: z.string().nullable(),
});

/** A found document, as far as a list of sources needs it. */
export type SourceDocument = z.output<typeof document>;

/** What `ask` needs of a stream; everything else in it is passed over. */
export type AnswerEvent =
  | { kind: 'text'; text: string }
  | { kind: 'documents'; documents: SourceDocument[] }
  | { kind: 'citation'; number: number; documentId: string }
  | { kind: 'error'; message: string }
  | { kind: 'stop' };

const packet = z.object({
  obj: z.discriminatedUnion('type', [
    z.object({ type: z.literal('message_delta'), content: z.string() }),
    z.object({ type: z.literal('message_start'), final_documents: z.array(document).nullish() }),
    z.object({
      type: z.literal('citation_info'),
      citation_number: z.int(),
      document_id: z.string(),
    }),
    z.object({
      type: z.literal('error'),
      message: z.string().optional(),
      exception: z.string().optional(),
    }),
    z.object({ type: z.literal('stop') }),
  ]),
});
/** A failure outside of any packet, as the last line. */
const errorLine = z.object({ error: z.string() });

const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** Reads an answer stream, as server-sent events (`data: {…}`) or as bare JSON lines. */
export async function* readPackets(parts: AsyncIterable<Uint8Array>): AsyncGenerator<AnswerEvent> {
  for await (const line of readLines(parts, MAX_LINE_BYTES)) {
    const value = parseJson(line.replace(/^data:\s*/, ''));
    const failure = errorLine.safeParse(value);
    if (failure.success) yield { kind: 'error', message: failure.data.error };
    const parsed = packet.safeParse(value);
    // Unknown packets are to be ignored: later services say more than this command knows.
    if (parsed.success) yield toEvent(parsed.data.obj);
  }
}

function toEvent(body: z.output<typeof packet>['obj']): AnswerEvent {
  switch (body.type) {
    case 'message_delta':
      return { kind: 'text', text: body.content };
    case 'message_start':
      return { kind: 'documents', documents: body.final_documents ?? [] };
    case 'citation_info':
      return { kind: 'citation', number: body.citation_number, documentId: body.document_id };
    case 'error':
      return { kind: 'error', message: body.message ?? body.exception ?? 'no reason given' };
    case 'stop':
      return { kind: 'stop' };
  }
}
