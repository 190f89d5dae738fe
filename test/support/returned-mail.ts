import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../fixtures/returned-mail', import.meta.url));

/** The message that the samples return, and its recipient. */
export const SAMPLE_MESSAGE_ID = '0f8fad5b-d9cb-469f-a165-70867728950e@acme.example';
export const SAMPLE_RECIPIENT = 'bob@firm.example';

/** The names of all samples: servers' reports, and mail that is not a report. */
export function sampleNames(): string[] {
  return globSync('*.eml', { cwd: FOLDER })
    .map((file) => path.basename(file, '.eml'))
    .toSorted();
}

/** A sample as sent, with the message and recipient replaced by the test's own. */
export function sampleReport(
  name: string,
  about: { messageId?: string; recipient?: string } = {},
): Buffer {
  const { messageId = SAMPLE_MESSAGE_ID, recipient = SAMPLE_RECIPIENT } = about;
  const text = readFileSync(path.join(FOLDER, `${name}.eml`), 'utf8')
    .replaceAll(SAMPLE_MESSAGE_ID, messageId)
    .replaceAll(SAMPLE_MESSAGE_ID.split('@')[0] ?? '', messageId.split('@')[0] ?? '')
    .replaceAll(/bob@firm\.example/gi, recipient);
  return Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'));
}
