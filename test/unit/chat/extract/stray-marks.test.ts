import { describe, expect, it } from 'vitest';
import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import { removeCitations, WrittenCitations } from '#src/chat/citations/written-citations.ts';
import { toSources } from '#src/chat/extract/to-sources.ts';
import { type ExtractPiece, writeExtract } from '#src/chat/extract/write-extract.ts';
import { writeQuotes } from '#src/chat/extract/write-quotes.ts';
import { streamPieces } from '#src/chat/answer/stream-pieces.ts';
import { toSearchDoc } from '#src/chat/citations/to-search-doc.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

const QUESTION = 'How do I rotate the signing key?';
const paragraphs = (first: string, second: string): [string, string] => [
  `To rotate the signing key open ${first} on the page.`,
  `Then the signing key is rotated ${second} at once.`,
];

type Write = (hits: readonly SearchHit[], numbers: CitationNumbers) => ExtractPiece[];
const extract: Write = (hits) =>
  writeExtract({ question: QUESTION, before: null, counts: null }, toSources(hits, []));
const quotes: Write = (hits, numbers) => writeQuotes(QUESTION, hits, numbers);

/** The text of an answer, the number of citations its packets announce, and the number of quotes. */
function answerOf(text: string, write: Write) {
  const hit = fakeHit('keys', text);
  const numbers = new CitationNumbers();
  numbers.openRanges(1)[0]?.numberOf(toSearchDoc(hit));
  const pieces = write([hit], numbers);
  const packets = [...streamPieces(pieces, { numbers, citations: { isShown: true }, turn: 0 })];
  const bodies = packets.map(({ obj }) => obj);
  return {
    answer: bodies.map((body) => (body.type === 'message_delta' ? body.content : '')).join(''),
    announced: bodies.filter(({ type }) => type === 'citation_info').length,
    quoted: pieces.filter(({ citation }) => citation !== null).length,
  };
}

describe.each([
  ['a backtick', '` first', 'by ` itself'],
  ['two backticks', '`` first', 'by `` itself'],
  ['dollar signs of a price and a variable', '$5 first', 'for 7$ itself'],
  ['an unclosed element', '<code> first', 'by </code> itself'],
  ['TeX math', String.raw`\( first`, String.raw`by \) itself`],
])('quotes with a stray mark of %s', (_, first, second) => {
  it.each([
    ['sentences', paragraphs(first, second).join('\n\n')],
    [
      'items',
      paragraphs(first, second)
        .map((text) => `- ${text}`)
        .join('\n'),
    ],
  ])('hide no citation in %s', (_kind, text) => {
    for (const write of [extract, quotes]) {
      const { answer, announced, quoted } = answerOf(text, write);
      expect(quoted, answer).toBe(2);
      expect(announced).toBe(1);
      const bare = removeCitations(answer);
      expect(bare).not.toContain('[[');
      for (const part of [first, second]) expect(bare).toContain(part);
      const written = new WrittenCitations(() => true);
      const found = [...written.read(answer), ...written.end()];
      expect(found.filter(({ kind }) => kind === 'citation')).toHaveLength(2);
    }
  });
});

it('sentences of one document share a paragraph when nothing is left open', () => {
  const { answer } = answerOf(paragraphs('`Settings`', 'by `itself`').join('\n\n'), extract);
  expect(answer).toMatch(/page\. Then the signing key/);
});
