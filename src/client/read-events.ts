/** One event of a stream, or one bare line. */
export interface StreamEvent {
  /** Id of a server-sent event that has one. */
  id: string | null;
  data: string;
  /** The stream ended before the end of this line. */
  isCut: boolean;
}

const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/**
 * Splits a body into server-sent events (HTML Living Standard 9.2.6): lines may end in LF, CR or both, characters may
 * be split anywhere, comments and unknown fields are skipped. A line that starts with `{` is an event by itself,
 * because the `/api` prefix frames the same stream that way.
 * @throws Error when one event is longer than 16 Mi characters
 */
export async function* readEvents(
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamEvent, void> {
  let id: string | null = null;
  let data: string[] = [];
  let size = 0;
  for await (const { text, isCut } of readLines(parts)) {
    if (text.startsWith('{')) {
      yield { id: null, data: text, isCut };
    } else if (isCut) {
      return; // an event without a closing empty line is incomplete
    } else if (text === '') {
      if (data.length > 0) yield { id, data: data.join('\n'), isCut: false };
      id = null;
      data = [];
      size = 0;
    } else {
      const [name, value] = fieldOf(text);
      if (name === 'data') data.push(value);
      if (name === 'id' && !value.includes('\0')) id = value;
      size += value.length;
      if (size > MAX_EVENT_CHARACTERS) throw tooLong();
    }
  }
}

/** A comment has an empty name. */
function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}

async function* readLines(
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ text: string; isCut: boolean }, void> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let size = 0;
  let endedInReturn = false;
  for await (const part of parts) {
    const text = decoder.decode(part, { stream: true });
    if (text === '') continue;
    // The second half of a CRLF that was split between two chunks.
    let from = endedInReturn && text.startsWith('\n') ? 1 : 0;
    endedInReturn = false;
    for (let end = nextEnd(text, from); end !== -1; end = nextEnd(text, from)) {
      yield { text: pieces.join('') + text.slice(from, end), isCut: false };
      pieces = [];
      size = 0;
      const isReturn = text[end] === '\r';
      endedInReturn = isReturn && end === text.length - 1;
      from = end + (isReturn && text[end + 1] === '\n' ? 2 : 1);
    }
    pieces.push(text.slice(from));
    size += text.length - from;
    if (size > MAX_EVENT_CHARACTERS) throw tooLong();
  }
  const rest = pieces.join('');
  if (rest !== '') yield { text: rest, isCut: true };
}

function nextEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const carriageReturn = text.indexOf('\r', from);
  if (feed === -1 || carriageReturn === -1) return Math.max(feed, carriageReturn);
  return Math.min(feed, carriageReturn);
}

function tooLong(): Error {
  return new Error(`A line of the stream is longer than ${MAX_EVENT_CHARACTERS} characters.`);
}
