import { runFigures } from '#src/connectors/runs/run-figures.ts';
import { userFileFigures } from '#src/chat/user-files/user-file-figures.ts';
import { documentFigures } from '#src/documents/document-figures.ts';
import { messageFigures } from '#src/email/message-figures.ts';
import { scrapeFigures } from '#src/leads/scrapes/scrape-figures.ts';
import type { Database } from '#src/platform/database.ts';
import type { WorkFigures } from '#src/platform/work-figures.ts';
import { deliveryFigures } from '#src/webhooks/delivery-figures.ts';

const SOURCES = [
  documentFigures,
  runFigures,
  scrapeFigures,
  messageFigures,
  deliveryFigures,
  userFileFigures,
];

/** The work of all queues whose work is rows. Queues without any work may be missing. */
export async function rowFigures(db: Database): Promise<ReadonlyMap<string, WorkFigures>> {
  const figures: WorkFigures[] = [];
  // One after the other: these are not urgent, and others use the pool, too.
  for (const source of SOURCES) figures.push(...(await source(db)));
  return new Map(figures.map((one) => [one.queue, one]));
}
