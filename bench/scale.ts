import { abortOnSignal } from './abort-on-signal.ts';
import type { BenchOptions } from './bench-options.ts';
import { timeCopy } from './ingest-baselines.ts';
import { fill } from './scale-filling.ts';
import { type Mark, measureMark, printMarks } from './scale-mark.ts';
import { openScaleStage, type ScaleStage } from './scale-stage.ts';
import { measureUpkeep } from './scale-upkeep.ts';
import { VOCABULARY_SEED } from './search-questions.ts';
import { countChunks } from './stores.ts';
import { createDocuments } from './synthetic-documents.ts';

const CHUNKS = 10_000;
/** The last mark is what was asked for. */
const MARKS = [10_000, 100_000, 1_000_000];
const WARM_UP_DOCUMENTS = 500;
const COPIED_DOCUMENTS = 5_000;
/** No more documents are sent after it. */
const LONGEST_MINUTES = 240;

/**
 * Fills forty workspaces through the HTTP API of a whole Millrace over Postgres and Redis, half of the documents in one
 * of them, and measures it at 10,000, 100,000 and 1,000,000 chunks: pace beside a COPY of the same rows, searches while
 * nothing else happens and while documents arrive at full speed, memory, sizes; in the end also restart, build of the
 * vector index, vacuum and backup. The first mark is the baseline of the others.
 */
export async function scale(options: BenchOptions): Promise<void> {
  const wanted = options.chunks ?? CHUNKS;
  const deadlineSeconds = 60 * (options.minutes ?? LONGEST_MINUTES);
  await abortOnSignal(async (signal) => {
    await using stage = await openScaleStage(options.bytes, signal);
    console.log(
      `scale: ${wanted} chunks of documents of ${options.bytes} bytes, ${stage.target.size}`,
    );
    const warmUp = await fill(stage, WARM_UP_DOCUMENTS, deadlineSeconds);
    let chunksPerDocument = warmUp.chunks / warmUp.documents;
    const marks: Mark[] = [];
    for (const mark of [...MARKS.filter((one) => one < wanted), wanted]) {
      const copyPace = await copyPerSecond(options.bytes);
      const missing = mark - (await countChunks(stage.stores));
      if (missing <= 0 || stage.seconds() > deadlineSeconds) continue;
      const filled = await fill(stage, Math.ceil(missing / chunksPerDocument), deadlineSeconds);
      chunksPerDocument = filled.chunks / filled.documents;
      marks.push(await measureMark(stage, filled, copyPace));
      printMarks(marks);
    }
    await finish(stage);
  });
}

async function finish(stage: ScaleStage): Promise<void> {
  console.log(`${await countChunks(stage.stores)} chunks in the end`);
  await measureUpkeep(stage);
  console.log(`scale: done after ${Math.round(stage.seconds() / 60)} minutes`);
}

/** Documents a second, with their chunks and vectors, into tables without any other index than their key. */
async function copyPerSecond(bytes: number): Promise<number> {
  const items = createDocuments(COPIED_DOCUMENTS, bytes, { vocabularySeed: VOCABULARY_SEED });
  return COPIED_DOCUMENTS / (await timeCopy(items));
}
