import { type SizedBlock, STRENGTH } from './block.ts';
import type { TokenLimits } from './size-blocks.ts';

/** Minimum size of a chunk that ends at a natural break, as a share of the target; smaller before a heading. */
const MIN_FILL = 0.5;
const MIN_FILL_BEFORE_HEADING = 0.25;

/**
 * Groups blocks into chunks of at most `maxTokens`. Each ends at the strongest break within reach; among equal breaks,
 * at the one nearest to `targetTokens`. Reads lazily and holds the blocks of one chunk at a time.
 */
export function* packBlocks(
  blocks: Iterable<SizedBlock>,
  limits: TokenLimits,
): Generator<SizedBlock[]> {
  let held: SizedBlock[] = [];
  let heldTokens = 0;
  for (const block of blocks) {
    while (held.length > 0 && heldTokens + block.tokens > limits.maxTokens) {
      const cut = chooseCut([...held, block], limits.targetTokens);
      const chunk = held.slice(0, cut);
      yield chunk;
      held = held.slice(cut);
      heldTokens -= sumTokens(chunk);
    }
    held.push(block);
    heldTokens += block.tokens;
  }
  if (held.length > 0) yield held;
}

/** Index of the block that starts the next chunk; the last block if no break is far enough in. */
function chooseCut(blocks: readonly SizedBlock[], targetTokens: number): number {
  let best = blocks.length - 1;
  let bestStrength = -1;
  let bestDistance = Infinity;
  let filled = 0;
  for (const [index, block] of blocks.entries()) {
    const isHeading = block.strength >= STRENGTH.heading;
    const minFill = targetTokens * (isHeading ? MIN_FILL_BEFORE_HEADING : MIN_FILL);
    const distance = Math.abs(filled - targetTokens);
    const isBetter =
      block.strength > bestStrength || (block.strength === bestStrength && distance < bestDistance);
    if (index > 0 && filled >= minFill && isBetter) {
      best = index;
      bestStrength = block.strength;
      bestDistance = distance;
    }
    filled += block.tokens;
  }
  return best;
}

function sumTokens(blocks: readonly SizedBlock[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}
