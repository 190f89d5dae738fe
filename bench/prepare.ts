import { type DocumentText, prepareDocument } from '#src/documents/prepare-document.ts';
import { WORD_PATTERN } from '#src/documents/tokenize.ts';
import { COLLECTION_NAMES, loadCollection } from './collections.ts';

const ROUNDS = 9;
const DIMENSIONS = 1_024;
/** Enough for the compiler, and half a second a round. */
const MAX_BYTES = 5_000_000;

/**
 * Measures the processor time of chunking, terms and vectors in one thread, on collections of real texts, beside one
 * match of a regular expression for words over the same texts.
 */
export async function prepare(): Promise<void> {
  const rows: Record<string, string | number>[] = [];
  for (const name of COLLECTION_NAMES) {
    const documents = documentsOf(name);
    if (documents.length === 0) continue;
    const megabytes = documents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6;
    const rateOf = (work: (document: BenchDocument) => unknown): number =>
      megabytes / medianSeconds(() => documents.forEach(work));
    const all = rateOf(prepareDocument);
    const terms = rateOf((document) => prepareDocument({ ...document, dimensions: null }));
    const words = rateOf(({ text }) => text.match(WORD_PATTERN));
    rows.push({
      collection: name,
      MB: megabytes.toFixed(1),
      'all, MB/s': all.toFixed(1),
      'without vectors': terms.toFixed(1),
      'words by a pattern': words.toFixed(1),
      'share of it': (all / words).toFixed(2),
    });
  }
  if (rows.length === 0) console.log('No collections are there.');
  else console.table(rows);
}

interface BenchDocument extends DocumentText {
  text: string;
}

function documentsOf(name: string): BenchDocument[] {
  const documents: BenchDocument[] = [];
  let bytes = 0;
  for (const { title, text } of loadCollection(name)?.documents ?? []) {
    if (bytes > MAX_BYTES) break;
    bytes += Buffer.byteLength(text);
    documents.push({
      workspaceId: '00000000-0000-4000-8000-000000000001',
      title,
      text,
      sectionsJson: JSON.stringify([{ text, link: null }]),
      metadata: {},
      dimensions: DIMENSIONS,
    });
  }
  return documents;
}

/** Processor time of this process. */
function medianSeconds(work: () => unknown): number {
  const seconds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return seconds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}
