import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import type { Packet, PacketBody } from '#src/chat/wire/packets.ts';
import type { FinishedTurn } from './finish-turns.ts';

const WORDS: ReadonlySet<PacketBody['type']> = new Set([
  'message_start',
  'message_delta',
  'citation_info',
]);
const ENDS: ReadonlySet<PacketBody['type']> = new Set(['stop', 'error']);

/** The contents of an answer's packets so far, as stored in its row. */
export class DraftAnswer {
  #content = '';
  #citations: Record<string, string> = {};
  #reasoning: string | null = null;
  #documents: readonly SearchDoc[] | null = null;
  readonly #packets: Packet[] = [];
  #turnIndex = 0;
  /** Tools followed the text, so a paragraph end after it is not part of it. */
  #isAnnouncement = false;
  isClarification = false;
  /** The model reached its length limit. */
  isCut = false;

  /** The turn of the latest packet. */
  get turnIndex(): number {
    return this.#turnIndex;
  }

  /** Passes packets on while recording them; returns the generator's return value. */
  async *record<T>(packets: AsyncGenerator<Packet, T>): AsyncGenerator<Packet, T> {
    let isDone = false;
    try {
      for (;;) {
        const step = await packets.next();
        if (step.done === true) {
          isDone = true;
          return step.value;
        }
        this.add(step.value);
        yield step.value;
      }
    } finally {
      // Nobody reads the return value when it is ended early.
      if (!isDone) await packets.return(undefined as never);
    }
  }

  add(packet: Packet): void {
    const { placement, obj } = packet;
    this.#turnIndex = placement.turn_index;
    this.#keep(packet);
    if (placement.sub_turn_index !== null) return;
    if (obj.type === 'message_start') {
      // The answer is the last text: earlier text announced a tool.
      this.#content = '';
      this.#citations = {};
      this.#documents = obj.final_documents;
    }
    if (obj.type === 'message_delta') this.#content += obj.content;
    if (obj.type === 'reasoning_start') this.#reasoning = '';
    if (obj.type === 'reasoning_delta') this.#reasoning = (this.#reasoning ?? '') + obj.reasoning;
    if (ENDS.has(obj.type)) return;
    this.#isAnnouncement = !WORDS.has(obj.type);
    if (obj.type === 'citation_info') this.#citations[obj.citation_number] = obj.document_id;
  }

  /** Adds a note at the end of the answer that says why it ends there. */
  note(sentence: string): void {
    const said = this.#said();
    this.#content = said === '' ? sentence : `${said}\n\n_${sentence}_`;
  }

  saved(): Omit<FinishedTurn, 'model' | 'durationMs' | 'error' | 'now'> {
    return {
      content: this.#said(),
      citations: this.#citations,
      reasoning: this.#reasoning,
      documents: this.#documents,
      packets: this.#packets,
      isClarification: this.isClarification,
    };
  }

  #said(): string {
    return this.#isAnnouncement ? this.#content.trimEnd() : this.#content;
  }

  /** Pieces of one text are stored as one packet: a replay needs no pauses. */
  #keep(packet: Packet): void {
    const last = this.#packets.at(-1);
    const merged = last && isSamePlace(last, packet) ? joined(last.obj, packet.obj) : null;
    if (merged === null) this.#packets.push(packet);
    else this.#packets[this.#packets.length - 1] = { placement: packet.placement, obj: merged };
  }
}

function isSamePlace({ placement: a }: Packet, { placement: b }: Packet): boolean {
  return (
    a.turn_index === b.turn_index &&
    a.tab_index === b.tab_index &&
    a.sub_turn_index === b.sub_turn_index
  );
}

/** Null when they are not two pieces of one text. */
function joined(a: PacketBody, b: PacketBody): PacketBody | null {
  if (a.type === 'reasoning_delta' && b.type === a.type)
    return { type: a.type, reasoning: a.reasoning + b.reasoning };
  const isText =
    a.type === 'message_delta' ||
    a.type === 'deep_research_plan_delta' ||
    a.type === 'intermediate_report_delta';
  if (isText && b.type === a.type) return { type: a.type, content: a.content + b.content };
  return null;
}
