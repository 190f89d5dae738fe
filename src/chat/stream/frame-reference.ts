import type { SearchDoc } from '#src/documents/search-hit.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ErrorPacket, StreamLine } from '#src/chat/packets.ts';

/** `[[3]](https://…)`, as `CitationWriter` writes it; none is split over two deltas. */
const CITATION = /\[\[(\d+)\]\]\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)/g;
const PAGE = /#page=(\d+)/;
/** Failures of ours that may pass. */
const PASSING = ['BAD_GATEWAY', 'SERVICE_UNAVAILABLE'] as const;

/**
 * The lines of the reference family: `chunk` with each piece of the answer, `done` at its end. Citations are counted in
 * the order in which they appear: `[n]` is the n-th of `citations`.
 * @throws Problem when the answer fails before its first piece, so that a status can still say so
 */
export async function* frameAsReference(
  lines: AsyncIterable<StreamLine>,
  requestId: string,
): AsyncGenerator<string, void> {
  const cited: number[] = [];
  const documentIds = new Map<number, string>();
  let documents: readonly SearchDoc[] = [];
  let messageId = 0;
  let hasBegun = false;
  for await (const line of lines) {
    if ('reserved_assistant_message_id' in line) messageId = line.reserved_assistant_message_id;
    if (!('obj' in line)) continue;
    const { obj } = line;
    if (obj.type === 'message_start') documents = obj.final_documents ?? [];
    if (obj.type === 'citation_info') documentIds.set(obj.citation_number, obj.document_id);
    if (obj.type === 'message_delta') {
      hasBegun = true;
      yield toLine({ type: 'chunk', content: countCitations(obj.content, cited) });
    }
    if (obj.type === 'error') {
      if (!hasBegun) throw refusal(obj);
      yield toLine(errorLine(obj, requestId));
    }
    if (obj.type === 'stop') {
      const citations = cited.map((number) => toCitation(documentIds.get(number), documents));
      yield toLine({ type: 'done', message_id: String(messageId), citations });
    }
  }
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function countCitations(text: string, cited: number[]): string {
  return text.replaceAll(CITATION, (_match, digits: string) => {
    const number = Number(digits);
    if (!cited.includes(number)) cited.push(number);
    return `[${cited.indexOf(number) + 1}]`;
  });
}

function toCitation(documentId: string | undefined, documents: readonly SearchDoc[]): unknown {
  const document = documents.find(({ document_id }) => document_id === documentId);
  const page = PAGE.exec(document?.link ?? '')?.[1];
  return {
    doc_id: documentId ?? '',
    title: document?.semantic_identifier ?? documentId ?? '',
    page: page === undefined ? null : Number(page),
  };
}

function errorLine({ message, error_code }: ErrorPacket, requestId: string): unknown {
  return { type: 'error', error_code, detail: message, request_id: requestId };
}

/** A failure of the model is one of the upstream service; only such a failure names a model. */
function refusal({ message, error_code, details }: ErrorPacket): Problem {
  if (details !== null) return new Problem('BAD_GATEWAY', message);
  const code = PASSING.find((passing) => passing === error_code);
  return new Problem(code ?? 'INTERNAL_SERVER_ERROR', message);
}
