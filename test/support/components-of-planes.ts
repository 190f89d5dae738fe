/** The components of a stored vector, up to a factor, from its columns as text of zeros and ones. */
export function componentsOfPlanes({ planes, bits }: { planes: string; bits: string }): number[] {
  const all = planes + bits;
  const count = all.length / bits.length;
  return Array.from({ length: bits.length }, (_, index) => {
    let sum = 0;
    for (let plane = 0; plane < count; plane += 1) {
      sum += (all[plane * bits.length + index] === '1' ? 1 : -1) * 2 ** plane;
    }
    return sum;
  });
}
