import { judgeBounce } from './judge-bounce.ts';
import { readReportAddress } from './report-address.ts';
import type { FailedRecipient } from './delivery-status.ts';

/** A report without a machine-readable part, as written by qmail and older versions of Exim. */
export interface PlainBounce {
  failed: FailedRecipient[];
  /** The returned message, possibly truncated. */
  original: string;
}

const MAX_RECIPIENTS = 200;

/** Reads a report in a known plain-text format; null for any other text. */
export function readPlainBounce(text: string): PlainBounce | null {
  const lines = text.replaceAll('\r\n', '\n');
  return readQmail(lines) ?? readExim(lines);
}

/**
 * The format of qmail and its relatives: paragraphs that begin with `<address>:`, until one that begins with a dash.
 * https://cr.yp.to/proto/qsbmf.txt
 */
function readQmail(text: string): PlainBounce | null {
  const start = text.trimStart();
  if (!start.startsWith('Hi. This is')) return null;
  const end = start.indexOf('\n-');
  if (end < 0) return null;
  const failed = start
    .slice(0, end)
    .split('\n\n')
    .slice(1)
    .flatMap((paragraph) => readQmailParagraph(paragraph.trim()));
  return { failed: failed.slice(0, MAX_RECIPIENTS), original: afterLine(start, end + 1) };
}

function readQmailParagraph(paragraph: string): FailedRecipient[] {
  const [, address, words = ''] = /^<([^<>\n]{1,400})>:[ \t]*\n?([^]*)$/.exec(paragraph) ?? [];
  if (address === undefined) return [];
  return [failedOf(address, oneLine(words))];
}

/** Exim up to 4.84 wrote no machine-readable part. */
function readExim(text: string): PlainBounce | null {
  const isExim = text
    .trimStart()
    .startsWith('This message was created automatically by mail delivery');
  const heading = 'following address(es) failed:';
  const list = text.indexOf(heading);
  const end = /^-{4,} (?:This is a copy of|The body of the message|The following text)/m.exec(text);
  if (!isExim || list < 0 || end === null || end.index < list) return null;
  const failed: FailedRecipient[] = [];
  // Addresses are indented by two spaces, the replies below them by four.
  let address: string | null = null;
  let words: string[] = [];
  const finish = (): void => {
    if (address !== null && failed.length < MAX_RECIPIENTS) {
      failed.push(failedOf(address, oneLine(words.join(' '))));
    }
  };
  for (const line of text.slice(list + heading.length, end.index).split('\n')) {
    if (/^ {2}\S+@\S+$/.test(line)) {
      finish();
      address = line.trim();
      words = [];
    } else words.push(line.trim());
  }
  finish();
  return { failed, original: afterLine(text, end.index) };
}

function failedOf(address: string, diagnostic: string): FailedRecipient {
  const final = readReportAddress(address);
  return { recipient: { final, original: null }, ...judgeBounce({ status: null, diagnostic }) };
}

/** Everything after the line that begins at an index, without the blank lines at its start. */
function afterLine(text: string, index: number): string {
  const end = text.indexOf('\n', index);
  return end < 0 ? '' : text.slice(end).trimStart();
}

function oneLine(text: string): string {
  return text.slice(0, 4_000).replaceAll(/\s+/g, ' ').trim();
}
