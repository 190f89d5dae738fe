/** MurmurHash3-style 32-bit hash over UTF-16 units from `start` to `end` (public domain, Austin Appleby). */
export function hash32(
  text: string,
  seed: number,
  start: number = 0,
  end: number = text.length,
): number {
  let state = seed | 0;
  for (let index = start; index < end; index += 1) {
    let unit = Math.imul(text.charCodeAt(index), 0xcc9e2d51);
    unit = (unit << 15) | (unit >>> 17);
    state ^= Math.imul(unit, 0x1b873593);
    state = (state << 13) | (state >>> 19);
    state = (Math.imul(state, 5) + 0xe6546b64) | 0;
  }
  state ^= end - start;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
