import { describe, expect, it } from 'vitest';
import { createChurn } from '#bench/churn.ts';

describe('createChurn', () => {
  it('keeps as many documents as there were, and changes only those that are there', () => {
    const churn = createChurn({ name: 'c', documents: 20, bytes: 200 });
    const texts = new Map<string, string>();
    const put = (items: ReturnType<typeof churn.first>) => {
      for (const { document } of items) {
        texts.set(document.id ?? '', document.sections[0]?.text ?? '');
      }
    };
    put(churn.first());
    for (let round = 0; round < 10; round += 1) {
      const before = new Map(texts);
      const { pushed, deletedIds } = churn.next(4, 3);
      put(pushed);
      for (const id of deletedIds) expect(texts.delete(id)).toBe(true);
      expect(texts.size).toBe(20);
      const changed = pushed.filter(({ document }) => before.has(document.id ?? ''));
      expect(pushed.length - changed.length).toBe(4);
      expect(changed.length).toBeGreaterThan(0);
      for (const { document } of changed) {
        expect(texts.get(document.id ?? '')).not.toBe(before.get(document.id ?? ''));
      }
    }
  });
});
