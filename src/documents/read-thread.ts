import { move, transferableSymbol, valueSymbol } from 'piscina';
import { Problem } from '#src/platform/errors.ts';
import type { IncomingContext } from './incoming-document.ts';
import { type BodyForm, readDocuments, type ReadItem, type Refusal } from './read-documents.ts';

export interface ReadTask {
  bytes: Uint8Array;
  form: BodyForm;
  context: IncomingContext;
}

export type ReadResult = { items: ReadItem[] } | { refused: Refusal };

/** Entry point of the threads; `document-reader.ts` calls it by name. Large buffers are transferred, not copied. */
export function read({ bytes, form, context }: ReadTask): ReadResult {
  const result = resultOf(bytes, form, context);
  const buffers =
    'items' in result
      ? result.items.flatMap((item) => ('document' in item ? [item.document.json.buffer] : []))
      : [];
  const moved: unknown = move({
    get [transferableSymbol]() {
      return buffers;
    },
    get [valueSymbol]() {
      return result;
    },
  });
  // The receiver gets the plain result.
  return moved as ReadResult;
}

function resultOf(bytes: Uint8Array, form: BodyForm, context: IncomingContext): ReadResult {
  try {
    return { items: readDocuments(bytes, form, context) };
  } catch (error) {
    if (error instanceof Problem) return { refused: { code: error.code, message: error.message } };
    throw error;
  }
}
