import { z } from 'zod';
import { Problem, type ProblemCode } from '#src/platform/errors.ts';
import { parseJson, weighJson } from '#src/platform/parse-json.ts';
import { parsePart } from '#src/platform/parse-part.ts';
import { type DerivedIds, derivedIds } from './derived-id.ts';
import {
  type IncomingContext,
  type IngestionItem,
  ingestionItemSchema,
  type PackedDocument,
  packDocument,
  toIncomingDocument,
} from './incoming-document.ts';

export const MAX_BATCH = 1_000;
/**
 * Per body, at all levels: a thousand for each document of a full batch, or three documents with the most sections.
 * Reading costs up to 3 µs of processor time per value, so no body costs more than a few seconds.
 */
export const MAX_VALUES = 1_000_000;

/** The form of the body: one item, or `{documents: [item, …]}`. */
export type BodyForm = 'item' | 'batch';

/** A document ready to be stored, or why it was refused. */
export type ReadItem =
  | {
      document: PackedDocument;
      /** For a document without an id: what its id is derived from. */
      unnamed: { title: string; ids: DerivedIds } | null;
    }
  | { refused: Refusal };

/** A Problem in a shape that passes between threads. */
export interface Refusal {
  code: ProblemCode;
  message: string;
}

// Only the frame is validated as a whole; items are validated, and fail, one by one.
const frameSchema = z.object({ documents: z.array(z.unknown()).min(1).max(MAX_BATCH) });

/**
 * Parses and validates a posted body; one result per item, in order. This is the costly part of a request and depends
 * on nothing else, so that a thread can do it.
 * @throws Problem when the body itself is invalid
 */
export function readDocuments(
  bytes: Uint8Array,
  form: BodyForm,
  context: IncomingContext,
): ReadItem[] {
  weighJson(bytes, MAX_VALUES);
  const body = parseJson(bytes);
  if (form === 'item') return [readItem(body, context)];
  // The schema in this call produced it.
  const { documents } = parsePart('body', frameSchema, body) as z.output<typeof frameSchema>;
  return documents.map((document) => readItem(document, context));
}

function readItem(value: unknown, context: IncomingContext): ReadItem {
  try {
    const item = parsePart('body', ingestionItemSchema, value) as IngestionItem; // as above
    const { id, semantic_identifier: title } = item.document;
    return {
      document: packDocument(toIncomingDocument(item, context)),
      unnamed: id ? null : { title, ids: derivedIds(title) },
    };
  } catch (error) {
    if (error instanceof Problem) return { refused: { code: error.code, message: error.message } };
    throw error;
  }
}
