import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { Problem } from '#src/platform/errors.ts';
import { type AnswerPiece, WrittenCitations } from '#src/chat/citations/written-citations.ts';
import type { ErrorPacket, PacketBody, StreamLine } from '#src/chat/wire/packets.ts';

const PAGE = /#page=(\d+)/;
/** Our own failures that may be temporary. */
const PASSING = ['BAD_GATEWAY', 'SERVICE_UNAVAILABLE'] as const;

/**
 * The lines of the reference family: `chunk` with each piece of the answer, `done` at its end. Citations are numbered
 * in order of appearance: `[n]` is the n-th of `citations`.
 * @throws Problem when the answer fails before its first piece, while a status can still be sent
 */
export async function* frameAsReference(
  lines: AsyncIterable<StreamLine>,
  requestId: string,
): AsyncGenerator<string, void> {
  const answer = new ReferenceAnswer();
  let messageId = 0;
  let hasBegun = false;
  for await (const line of lines) {
    if ('reserved_assistant_message_id' in line) messageId = line.reserved_assistant_message_id;
    if (!('obj' in line)) continue;
    const { obj } = line;
    const content = answer.add(obj);
    if (content !== '') {
      hasBegun = true;
      yield toLine({ type: 'chunk', content });
    }
    if (obj.type === 'error') {
      if (!hasBegun) throw refusal(obj);
      yield toLine(errorLine(obj, requestId));
    }
    if (obj.type === 'stop')
      yield toLine({ type: 'done', message_id: String(messageId), citations: answer.citations() });
  }
}

/** The text of an answer with its citations renumbered. */
class ReferenceAnswer {
  readonly #cited: number[] = [];
  readonly #documentIds = new Map<number, string>();
  #documents: readonly SearchDoc[] = [];
  #text = this.#openText();

  /** The text to show next; an incomplete citation waits for its rest. */
  add(obj: PacketBody): string {
    if (obj.type === 'citation_info') this.#documentIds.set(obj.citation_number, obj.document_id);
    if (obj.type === 'message_delta') return this.#count(this.#text.read(obj.content));
    if (obj.type === 'message_start') {
      const rest = this.#count(this.#text.end());
      this.#text = this.#openText();
      this.#documents = obj.final_documents ?? [];
      return rest;
    }
    return obj.type === 'stop' || obj.type === 'error' ? this.#count(this.#text.end()) : '';
  }

  citations(): unknown[] {
    return this.#cited.map((number) => toCitation(this.#documentIds.get(number), this.#documents));
  }

  #openText(): WrittenCitations {
    return new WrittenCitations((number) => this.#documentIds.has(number));
  }

  #count(pieces: readonly AnswerPiece[]): string {
    const shown = pieces.map((piece) => {
      if (piece.kind === 'text') return piece.text;
      if (!this.#cited.includes(piece.number)) this.#cited.push(piece.number);
      return `[${this.#cited.indexOf(piece.number) + 1}]`;
    });
    return shown.join('');
  }
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
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

/** A model's failure is one of the upstream service; only such a failure names a model. */
function refusal({ message, error_code, details }: ErrorPacket): Problem {
  if (details !== null) return new Problem('BAD_GATEWAY', message);
  const code = PASSING.find((passing) => passing === error_code);
  return new Problem(code ?? 'INTERNAL_SERVER_ERROR', message);
}
