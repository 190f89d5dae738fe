import { stripVTControlCharacters } from 'node:util';

export type OutputStream = NodeJS.WritableStream & {
  isTTY?: boolean;
  hasColors?: () => boolean;
};

/** Where a command reads and writes, and how it learns of Ctrl-C. */
export interface Terminal {
  stdin: AsyncIterable<Uint8Array>;
  /** Only results, so that they can be piped. */
  stdout: OutputStream;
  /** Progress, notes and failures. */
  stderr: OutputStream;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The base of relative paths. */
  workingFolder: string;
  /** Reads a line without echo. Absent without an interactive terminal. */
  askSecret?: (question: string) => Promise<string>;
}

/** Bold on a terminal that supports it, plain elsewhere. */
export function bold(text: string, stream: OutputStream): string {
  return stream.isTTY && stream.hasColors?.() ? `\u001b[1m${text}\u001b[22m` : text;
}

/** Dim on a terminal that supports it, plain elsewhere. */
export function dim(text: string, stream: OutputStream): string {
  return stream.isTTY && stream.hasColors?.() ? `\u001b[2m${text}\u001b[22m` : text;
}

/** Text of an untrusted document without control sequences. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}--[\n\t]]/gv, '');
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** `1,204`: with thousands separators. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`: the two largest units. */
export function formatSeconds(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A table with a header row, or the message for an empty list. */
export function formatList(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  whenEmpty: string,
): string {
  return rows.length === 0 ? `${whenEmpty}\n` : formatTable([head, ...rows]);
}

/** Columns as wide as their widest cell, two spaces apart. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
