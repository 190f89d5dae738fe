/** Where a value stands between two that are missing: it is on no line, and needs a point to be seen. */
export function loneValues(values: ArrayLike<number | null | undefined>): number[] {
  const isValue = (at: number): boolean => typeof values[at] === 'number';
  return Array.from({ length: values.length }, (_, at) => at).filter(
    (at) => isValue(at) && !isValue(at - 1) && !isValue(at + 1),
  );
}
