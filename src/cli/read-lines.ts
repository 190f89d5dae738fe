/**
 * The lines of a byte stream without their line ends; the last one needs none.
 * @throws Error when a line is longer than `maxBytes`, because memory holds a whole line
 */
export async function* readLines(
  parts: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    let rest = part;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      yield toLine([...pieces, rest.subarray(0, end)]);
      pieces = [];
      bytes = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) continue;
    pieces.push(rest);
    bytes += rest.length;
    if (bytes > maxBytes) throw new Error(`A line is longer than ${maxBytes} bytes.`);
  }
  if (bytes > 0) yield toLine(pieces);
}

function toLine(pieces: Uint8Array[]): string {
  return Buffer.concat(pieces).toString('utf8').replace(/\r$/, '');
}
