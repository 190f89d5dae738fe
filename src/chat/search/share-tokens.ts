import { countTokens, takeTokens } from '#src/documents/count-tokens.ts';

/** A token rarely has more characters than this; text beyond the limit is not counted. */
const CHARACTERS_PER_TOKEN = 12;

export interface SharedText {
  text: string;
  isCut: boolean;
}

/** Cuts texts so that together they cost at most `budget` tokens: short ones stay whole, long ones share the rest. */
export function shareTokens(texts: readonly string[], budget: number): SharedText[] {
  const heads = texts.map((text) => text.slice(0, budget * CHARACTERS_PER_TOKEN));
  const costs = heads.map((head) => countTokens(head));
  const shares = new Map<number, number>();
  let left = budget;
  const byCost = [...costs.keys()].toSorted(
    (one, other) => (costs[one] ?? 0) - (costs[other] ?? 0),
  );
  for (const [place, index] of byCost.entries()) {
    const share = Math.min(costs[index] ?? 0, Math.floor(left / (byCost.length - place)));
    shares.set(index, share);
    left -= share;
  }
  return texts.map((whole, index) => {
    const head = heads[index] ?? '';
    const reach = takeTokens(head, 0, head.length, shares.get(index) ?? 0);
    return { text: head.slice(0, reach).toWellFormed(), isCut: reach < whole.length };
  });
}
