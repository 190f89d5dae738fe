import { countTokens } from '#src/documents/count-tokens.ts';
import { cutToTokens, tokensUpTo } from './cut-text.ts';

/** A piece of what the model is to read: its text, and how it stands in the message. */
export interface Material {
  text: string;
  show: (text: string) => string;
}

/** All pieces as they are shown, those that are too long cut with a notice. `room` in tokens; Infinity cuts nothing. */
export function fitMaterial(material: readonly Material[], room: number): string[] {
  const whole = material.map(({ text, show }) => show(text));
  if (room === Infinity) return whole;
  // Nobody's need matters beyond all that there is.
  const needs = whole.map((shown) => tokensUpTo(shown, room));
  const shares = shareOut(needs, room);
  return material.map((piece, index) => {
    const [need = 0, share = 0, shown = ''] = [needs[index], shares[index], whole[index]];
    return need <= share ? shown : showWithin(piece, share);
  });
}

/** Everybody gets the same, and who needs less leaves the rest to the others. */
function shareOut(needs: readonly number[], room: number): number[] {
  const shares = needs.map(() => 0);
  const byNeed = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need);
  let left = Math.max(0, room);
  for (const [done, { need, index }] of byNeed.entries()) {
    const share = Math.min(need, Math.floor(left / (byNeed.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/** Escapes make a text longer than it was when it was cut; then it is cut again, shorter. */
function showWithin({ text, show }: Material, share: number): string {
  for (let budget = share; ;) {
    const shown = show(cutToTokens(text, Math.max(0, budget)));
    const tokens = countTokens(shown);
    if (tokens <= share || budget <= 0) return shown;
    budget = Math.min(budget - 1, Math.floor((budget * share) / tokens));
  }
}
