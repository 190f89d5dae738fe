/**
 * Repeats a statement that affects at most `batch` rows until it affects fewer.
 * @returns the total number of rows
 * @throws the signal's reason, between two batches
 */
export async function inBatches(
  batch: number,
  signal: AbortSignal,
  takeSome: () => Promise<{ rows: readonly unknown[] }>,
): Promise<number> {
  for (let taken = 0; ;) {
    signal.throwIfAborted();
    const { rows } = await takeSome();
    taken += rows.length;
    if (rows.length < batch) return taken;
  }
}
