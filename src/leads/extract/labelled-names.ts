import type { PlacedName } from './card-extent.ts';
import { nameEvidence } from './name-evidence.ts';
import type { PageLines } from './page-lines.ts';
import { personNameKey, readPersonName } from './person-name.ts';

const LABELLED = /^[^:]{3,60}:\s+([^:]{3,60}?)\.?$/u;
const MAX_NAMES = 1_000;

/** Known names behind a label of any words, alone in their line: what surrounds them is not about another person. */
export function labelledNames({ lines }: PageLines): PlacedName[] {
  return lines
    .flatMap(({ text, node }, line) => {
      const name = readPersonName(LABELLED.exec(text)?.[1] ?? '');
      if (name === null || nameEvidence(name) !== 'known') return [];
      return [{ key: personNameKey(name), line, node, isLabelled: true }];
    })
    .slice(0, MAX_NAMES);
}
