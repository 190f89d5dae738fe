import { sourcesOf } from '#src/chat/steps/ask-model.ts';
import type { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { type CitationStyle, CitationWriter } from '#src/chat/citations/citations.ts';
import type { ExtractPiece } from '#src/chat/extract/write-extract.ts';
import { packetAt, type Packet } from '#src/chat/wire/packets.ts';

/** Streams the text and citations of an answer that no model wrote. */
export function* streamPieces(
  pieces: readonly ExtractPiece[],
  at: { numbers: CitationNumbers; citations: CitationStyle; turn: number },
): Generator<Packet> {
  const writer = new CitationWriter(sourcesOf(at.numbers), at.citations);
  for (const { text, citation } of pieces) {
    for (const body of writer.quote(text)) yield packetAt(at.turn, body);
    if (citation === null) continue;
    for (const body of writer.cite(citation)) yield packetAt(at.turn, body);
  }
}
