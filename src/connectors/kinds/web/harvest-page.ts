import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import type { FrontierEntry } from './crawl-frontier.ts';
import { addressKey } from './page-address.ts';
import { type PageMemory, pageMemoryKey } from './page-memory.ts';
import type { Crawl, PageReading } from './page-reading.ts';
import { isBetterAddress } from './page-twins.ts';

/** The results of one step of a crawl. */
export interface Harvest extends Pick<
  ConnectorPage<unknown>,
  'documents' | 'unchanged' | 'skipped' | 'failures' | 'removed' | 'memory'
> {
  /** Documents of failed pages that had been read before: they, and the pages that they link to, may still exist. */
  lasting: string[];
  /** Why the crawl may not see all pages; null when it does. */
  gap: string | null;
}

export function emptyHarvest(): Harvest {
  return {
    documents: [],
    unchanged: [],
    skipped: [],
    failures: [],
    removed: [],
    memory: [],
    lasting: [],
    gap: null,
  };
}

/** A page whose visit has finished. */
export interface VisitedPage {
  entry: FrontierEntry;
  remembered: PageMemory | null;
  reading: PageReading;
}

const TWIN = 'the same text as another page';

type ReadPage = Extract<PageReading, { kind: 'read' }>;

/** Adds the outcome of a page to the harvest. */
export function addPage(crawl: Crawl, page: VisitedPage, harvest: Harvest): void {
  const { entry, remembered, reading } = page;
  switch (reading.kind) {
    case 'read':
      addRead(crawl, page, reading, harvest);
      break;
    case 'skipped':
      harvest.skipped.push({ documentId: remembered?.id ?? entry.url, reason: reading.reason });
      break;
    case 'gone':
      addGone(crawl, entry, remembered, harvest);
      break;
    case 'failed':
      addFailed(entry, remembered, reading, harvest);
      break;
  }
  meetWaiting(crawl, entry, reading, harvest);
}

function addGone(
  { frontier }: Crawl,
  entry: FrontierEntry,
  remembered: PageMemory | null,
  harvest: Harvest,
): void {
  // Perhaps only one of several URLs of the page is gone: pruning decides whether the page is.
  const isItself = remembered && addressKey(remembered.id) === addressKey(entry.url);
  if (isItself && frontier.claim(remembered.id)) harvest.removed.push(remembered.id);
  else {
    const reason = 'a link to a page that does not exist';
    harvest.skipped.push({ documentId: entry.url, reason });
  }
}

function addFailed(
  entry: FrontierEntry,
  remembered: PageMemory | null,
  { reason, error }: Extract<PageReading, { kind: 'failed' }>,
  harvest: Harvest,
): void {
  const isPage = entry.kind === 'page';
  harvest.failures.push({
    documentId: isPage ? (remembered?.id ?? entry.url) : null,
    entityId: isPage ? null : entry.url,
    link: entry.url,
    reason,
  });
  if (remembered) harvest.lasting.push(remembered.id);
  else if (!isPage || error instanceof SourceUnavailable) harvest.gap ??= reason;
}

/** The pages that waited for this one: when it is missing, or has another text, they are documents of their own. */
function meetWaiting(
  { frontier }: Crawl,
  entry: FrontierEntry,
  reading: PageReading,
  { skipped }: Harvest,
): void {
  for (const waiting of frontier.meet(entry.url)) {
    const { twinOf } = waiting;
    const isRead = reading.kind === 'read';
    const isThere = isRead || reading.kind === 'failed';
    const isTwin = !isRead || twinOf === undefined || reading.prints.includes(twinOf);
    if (isThere && isTwin) {
      const reason =
        twinOf === undefined
          ? 'a page with another canonical address'
          : 'the same text as another page';
      skipped.push({ documentId: null, reason });
    } else frontier.revisit(waiting);
  }
}

function addRead(
  crawl: Crawl,
  { entry, remembered }: VisitedPage,
  reading: ReadPage,
  harvest: Harvest,
): void {
  const { frontier } = crawl;
  const { id, isCut } = reading;
  if (isCut === true) {
    harvest.skipped.push({ documentId: null, reason: 'more links than the limit for a page' });
  }
  if (remembered?.isTwin === true && !entry.own && reading.prints.includes(remembered.hash)) {
    addKnownTwin(crawl, entry, reading, remembered.id, harvest);
    return;
  }
  const isElsewhere = addressKey(id) !== addressKey(entry.url);
  // The page at the canonical URL itself is better than one that only names it.
  if (isElsewhere && frontier.isPending(id)) {
    frontier.putOff(entry, id);
    return;
  }
  const twin = frontier.ownerOf(reading.prints);
  if (twin !== null && addressKey(twin) !== addressKey(id)) {
    if (isBetterAddress(twin, id)) {
      // Until now it had a document of its own.
      if (remembered?.id === id) harvest.removed.push(id);
      addTwin(entry, reading.memory, twin, harvest);
      return;
    }
    if (frontier.isClaimed(id)) {
      harvest.skipped.push({ documentId: null, reason: 'the same page as another one' });
      return;
    }
    withdraw(twin, reading.memory ?? remembered, id, harvest);
  }
  if (!frontier.claim(id)) {
    harvest.skipped.push({ documentId: null, reason: 'the same page as another one' });
    return;
  }
  frontier.own(reading.prints, id);
  if (reading.document) harvest.documents.push(reading.document);
  else harvest.unchanged.push(id);
  if (reading.memory) {
    harvest.memory.push({ key: pageMemoryKey(entry.url), documentId: id, value: reading.memory });
  }
}

/** A page with the same text as a page with a better URL. */
function addTwin(
  { url }: FrontierEntry,
  memory: PageMemory | null,
  twin: string,
  harvest: Harvest,
): void {
  harvest.skipped.push({ documentId: null, reason: TWIN });
  rememberTwin(url, memory, twin, harvest);
}

/**
 * A page that had the text of another one when last read, and still has it. The other one may have changed: it is
 * visited first, whether or not something still links to it.
 */
function addKnownTwin(
  { frontier }: Crawl,
  entry: FrontierEntry,
  { prints, memory }: ReadPage,
  twin: string,
  harvest: Harvest,
): void {
  const [print] = prints;
  if (!frontier.isClaimed(twin)) {
    frontier.add({ url: twin, kind: 'page', depth: entry.depth, lastmod: null });
  }
  if (frontier.isPending(twin) && print !== undefined) {
    frontier.putOff({ ...entry, twinOf: print }, twin);
    rememberTwin(entry.url, memory, twin, harvest);
    return;
  }
  const owner = frontier.ownerOf(prints);
  if (owner === null) frontier.revisit(entry);
  else addTwin(entry, memory, owner, harvest);
}

/** The text has since been found under a better URL. */
function withdraw(id: string, better: PageMemory | null, betterId: string, harvest: Harvest): void {
  harvest.documents = harvest.documents.filter((document) => document.id !== id);
  harvest.unchanged = harvest.unchanged.filter((one) => one !== id);
  harvest.memory = harvest.memory.filter(({ documentId }) => documentId !== id);
  harvest.removed.push(id);
  harvest.skipped.push({ documentId: null, reason: TWIN });
  // The next run must not consider it new. The server's validators are not known here.
  const memory = better && { ...better, etag: null, modified: null };
  rememberTwin(id, memory, betterId, harvest);
}

function rememberTwin(
  url: string,
  memory: PageMemory | null,
  twin: string,
  harvest: Harvest,
): void {
  if (!memory) return;
  const value: PageMemory = { ...memory, id: twin, isTwin: true };
  harvest.memory.push({ key: pageMemoryKey(url), documentId: twin, value });
}
