import { describe, expect, it } from 'vitest';
import { furthestBehind, workspaceShares } from '#bench/workspace-shares.ts';

describe('the division of documents among workspaces', () => {
  it('gives the largest its share, and the others the rest by their rank', () => {
    const shares = workspaceShares(40, 0.5);
    expect(shares).toHaveLength(40);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10);
    expect(shares[0]).toBe(0.5);
    expect((shares[1] ?? 0) / (shares[4] ?? 0)).toBeCloseTo(4, 10);
  });

  it('sends each batch to the one that is furthest behind, so that all come close to their shares', () => {
    const shares = workspaceShares(40, 0.5);
    const sent = shares.map(() => 0);
    for (let batch = 0; batch < 1_000; batch += 1) {
      const index = furthestBehind(shares, sent);
      sent[index] = (sent[index] ?? 0) + 100;
    }
    const off = shares.map((share, index) => Math.abs(share * 100_000 - (sent[index] ?? 0)));
    expect(Math.max(...off)).toBeLessThanOrEqual(100);
    expect(sent.every((documents) => documents > 0)).toBe(true);
  });
});
