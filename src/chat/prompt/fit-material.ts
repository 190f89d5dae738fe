import { countTokens } from '#src/documents/count-tokens.ts';
import { cutToTokens, tokensUpTo } from './cut-text.ts';

/** A piece of material for the model: its text, and its form in the message. */
export interface Material {
  text: string;
  show: (text: string) => string;
}

/**
 * All pieces in their final form; those that are too long are cut with a notice. `room` in tokens; Infinity cuts
 * nothing.
 */
export function fitMaterial(material: readonly Material[], room: number): string[] {
  const whole = material.map(({ text, show }) => show(text));
  if (room === Infinity) return whole;
  // A need beyond the total makes no difference.
  const needs = whole.map((shown) => tokensUpTo(shown, room));
  const shares = shareOut(needs, room);
  return material.map((piece, index) => {
    const [need = 0, share = 0, shown = ''] = [needs[index], shares[index], whole[index]];
    return need <= share ? shown : showWithin(piece, share);
  });
}

/** Equal shares; what one does not need is divided among the others. */
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

/** Escaping may make a cut text too long again; then it is cut shorter. */
function showWithin({ text, show }: Material, share: number): string {
  for (let budget = share; ;) {
    const shown = show(cutToTokens(text, Math.max(0, budget)));
    const tokens = countTokens(shown);
    if (tokens <= share || budget <= 0) return shown;
    budget = Math.min(budget - 1, Math.floor((budget * share) / tokens));
  }
}
