import { opensCitation, readCitation } from '#src/chat/citations/read-citation.ts';

const FENCE = /^(?:[ \t>*+-]|\d+[.)])*(`{3,})/;

/** Numbers that a text cites, each once, in the order of their first citation. */
export function citedNumbers(text: string): number[] {
  const cited = new Set<number>();
  renumberCitations(text, (number) => {
    cited.add(number);
    return number;
  });
  return [...cited];
}

/** The text with `numberOf` of each number that it cites; a number that has none disappears. Code blocks stay as they are. */
export function renumberCitations(
  text: string,
  numberOf: (number: number) => number | undefined,
): string {
  let fence = 0;
  const lines = text.split('\n').map((line) => {
    const ticks = FENCE.exec(line)?.[1]?.length ?? 0;
    const isInside = fence > 0;
    if (isInside && ticks >= fence) fence = 0;
    else if (!isInside) fence = ticks;
    return isInside || ticks > 0 ? line : renumberLine(line, numberOf);
  });
  return lines.join('\n');
}

function renumberLine(line: string, numberOf: (number: number) => number | undefined): string {
  let renumbered = '';
  for (let index = 0; index < line.length;) {
    const character = line[index] ?? '';
    const reading = opensCitation(character) ? readCitation(line.slice(index)) : null;
    if (reading?.kind !== 'citation') {
      renumbered += character;
      index += 1;
      continue;
    }
    const numbers = new Set(reading.numbers.map(numberOf).filter((number) => number !== undefined));
    if (numbers.size > 0) renumbered += `[${[...numbers].join(', ')}]`;
    else renumbered = renumbered.trimEnd();
    index += reading.length;
  }
  return renumbered;
}
