import { describe, expect, it } from 'vitest';
import { withoutGrowth } from '#bench/soak-minute.ts';

const table = (bytes: number, rows: number) => ({ bytes, rows, deadRows: 0 });

describe('withoutGrowth', () => {
  it('counts bytes as if a table had as many rows as at first', () => {
    expect(withoutGrowth(table(1_000, 10), 10)).toBe(1_000);
    expect(withoutGrowth(table(3_000, 30), 10)).toBe(1_000);
    expect(withoutGrowth(table(6_000, 30), 10)).toBe(2_000);
  });

  it('takes a table that keeps its bytes though it has fewer rows as it is', () => {
    expect(withoutGrowth(table(1_000, 5), 10)).toBe(1_000);
    expect(withoutGrowth(table(1_000, 0), 0)).toBe(1_000);
  });
});
