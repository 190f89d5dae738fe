import { type AnswerPiece, WrittenCitations } from '#src/chat/citations/written-citations.ts';
import type { Packet, PacketBody, StreamLine } from '#src/client/packets.ts';
import { describeWork } from './describe-work.ts';
import { bold, dim, plainLine, plainText, type Terminal } from './terminal.ts';

export interface CitedSource {
  number: number;
  document_id: string;
  semantic_identifier: string;
  link: string | null;
}

export interface PrintOptions {
  /** Nothing is printed while the answer arrives. */
  isSilent: boolean;
  /** The model's reasoning goes to stderr. */
  showsReasoning: boolean;
}

type SourceDocument = Omit<CitedSource, 'number'>;

/** Prints an answer while it arrives: its text to stdout and, on a terminal, the activity of tools to stderr. */
export class AnswerPrinter {
  answer = '';
  sessionId: string | null = null;
  messageId: number | null = null;
  /** Ids of files that tools created. */
  readonly fileIds: string[] = [];
  /** Why the answer failed; null when it did not. */
  failure: string | null = null;
  readonly #terminal: Pick<Terminal, 'stdout' | 'stderr'>;
  readonly #options: PrintOptions;
  readonly #found = new Map<string, SourceDocument>();
  readonly #cited = new Map<number, string>();
  #text = this.#openText();
  #isMidLine = false;
  #isThinking = false;

  constructor(terminal: Pick<Terminal, 'stdout' | 'stderr'>, options: PrintOptions) {
    this.#terminal = terminal;
    this.#options = options;
  }

  add(line: StreamLine): void {
    if ('chat_session_id' in line) this.sessionId = line.chat_session_id;
    if ('reserved_assistant_message_id' in line)
      this.messageId = line.reserved_assistant_message_id;
    if (!('obj' in line)) return;
    this.#showWork(line);
    this.#collectFiles(line.obj);
    // A research agent's reasoning is internal.
    if (line.placement.sub_turn_index === null) this.#addBody(line.obj);
  }

  /** Ends the line of the answer. */
  endLine(): void {
    if (this.#isMidLine) this.#print('\n');
  }

  /** The sources that the answer cites, by number. */
  sources(): CitedSource[] {
    return [...this.#cited]
      .toSorted(([a], [b]) => a - b)
      .map(([number, documentId]) => ({
        number,
        ...(this.#found.get(documentId) ?? {
          document_id: documentId,
          semantic_identifier: documentId,
          link: null,
        }),
      }));
  }

  printSources(): void {
    const sources = this.sources();
    const { stdout } = this.#terminal;
    if (sources.length > 0) stdout.write(`\n${bold('Sources', stdout)}\n`);
    for (const { number, semantic_identifier, link, document_id } of sources) {
      const place = plainLine(link ?? document_id);
      stdout.write(`[${number}] ${plainLine(semantic_identifier)}  ${place}\n`);
    }
  }

  #addBody(obj: PacketBody): void {
    if (obj.type === 'message_start') {
      this.#printPieces(this.#text.end());
      this.#text = this.#openText();
      // The text so far announced a tool; the answer starts here.
      if (this.answer !== '' && !this.answer.endsWith('\n\n'))
        this.#print(this.#isMidLine ? '\n\n' : '\n');
      this.answer = '';
      this.#cited.clear();
      for (const { document_id, semantic_identifier, link } of obj.final_documents ?? [])
        this.#found.set(document_id, { document_id, semantic_identifier, link });
    }
    if (obj.type === 'message_delta') {
      this.answer += obj.content;
      this.#printPieces(this.#text.read(obj.content));
    }
    if (obj.type === 'stop' || obj.type === 'error') this.#printPieces(this.#text.end());
    if (obj.type === 'citation_info') this.#cited.set(obj.citation_number, obj.document_id);
    if (obj.type === 'error') this.failure = obj.message;
  }

  #collectFiles(obj: PacketBody): void {
    if (obj.type === 'image_generation_final')
      this.fileIds.push(...obj.images.map(({ file_id }) => file_id));
    if (obj.type === 'python_tool_delta' || obj.type === 'custom_tool_delta')
      this.fileIds.push(...(obj.file_ids ?? []));
  }

  #openText(): WrittenCitations {
    return new WrittenCitations((number) => this.#cited.has(number));
  }

  /** `[[2]](https://…)` is hard to read on a terminal; the list of sources has the links. */
  #printPieces(pieces: readonly AnswerPiece[]): void {
    const shown = pieces.map((piece) =>
      piece.kind === 'citation' ? `[${piece.number}]` : piece.text,
    );
    this.#print(plainText(shown.join('')));
  }

  #print(text: string): void {
    if (this.#options.isSilent || text === '') return;
    this.#terminal.stdout.write(text);
    this.#isMidLine = !text.endsWith('\n');
  }

  #showWork({ obj }: Packet): void {
    const { stderr, stdout } = this.#terminal;
    if (this.#options.isSilent) return;
    if (this.#options.showsReasoning && obj.type === 'reasoning_delta') {
      this.#isThinking = true;
      stderr.write(dim(plainText(obj.reasoning), stderr));
    }
    if (obj.type === 'reasoning_done' && this.#isThinking) {
      this.#isThinking = false;
      stderr.write('\n\n');
    }
    const work = stderr.isTTY === true ? describeWork(obj) : null;
    if (work === null || (obj.type === 'reasoning_start' && this.#options.showsReasoning)) return;
    // stdout and stderr share the screen.
    if (stdout.isTTY === true) this.endLine();
    stderr.write(`${dim(plainLine(work), stderr)}\n`);
  }
}
