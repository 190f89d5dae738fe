import { z } from 'zod';
import {
  type AnyConnector,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { fetchEach } from '#src/connectors/source/fetch-each.ts';
import { findFirstSince } from '#src/connectors/source/first-since.ts';
import type { S3Object } from './s3-answers.ts';
import { isDocument, type ObjectOutcome, readObject } from './s3-object.ts';
import { createS3Requests, type S3Requests } from './s3-requests.ts';
import { s3Credential, s3Settings } from './s3-settings.ts';
import { resolveStore, type S3Store } from './s3-store.ts';
import { startPageTime } from '#src/connectors/source/page-time.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';

const OBJECTS_PER_PAGE = 25;
const CONCURRENT_REQUESTS = 4;

/** Keys are listed in byte order, so the last key is a position that never expires. */
const s3Checkpoint = z.object({
  after: z.string(),
  /** Number of objects examined so far. */
  seen: z.int().min(0),
});

type Checkpoint = z.infer<typeof s3Checkpoint>;

/**
 * Buckets of Amazon S3, Cloudflare R2, Google Cloud Storage, OCI Object Storage, and any other S3-compatible store.
 * Every run lists the whole bucket, 1,000 objects per request; an object with a known ETag is not downloaded again.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export function createS3Connector(
  options: { stsAddress?: (region: string) => string } = {},
): AnyConnector {
  const { stsAddress = (region) => `https://sts.${region}.amazonaws.com` } = options;
  return defineConnector({
    kind: 's3',
    aliases: [],
    variants: ['r2', 'google_cloud_storage', 'oci_storage'],
    title: 'Amazon S3 and compatible stores',
    summary: 'The readable files of a bucket, or of those under one prefix.',
    settings: s3Settings,
    credential: s3Credential,
    checkpoint: s3Checkpoint,
    limits: {
      concurrentRequests: CONCURRENT_REQUESTS,
      requestsPerSecond: null,
      documentsPerPage: OBJECTS_PER_PAGE,
    },
    defaultRefreshSeconds: 24 * 3_600,
    async check(settings, credential, context) {
      const store = resolveStore(settings, credential);
      await createS3Requests(store, context, stsAddress).list({ after: null, token: null });
    },
    async *poll(settings, credential, checkpoint, context) {
      const store = resolveStore(settings, credential);
      const requests = createS3Requests(store, context, stsAddress);
      let seen = checkpoint?.seen ?? 0;
      for await (const listed of listings(requests, checkpoint?.after ?? null)) {
        for await (const page of pagesOf(listed, seen, store, requests, context)) {
          seen = page.checkpoint.seen;
          yield page;
        }
      }
      if (seen > 0) return;
      const { memory } = await findFirstSince(context);
      const empty = { checkpoint: { after: '', seen }, description: 'an empty bucket' };
      yield pageOf<Checkpoint>({ ...empty, memory: [memory] });
    },
    async *listIds(settings, credential, context) {
      const store = resolveStore(settings, credential);
      for await (const listed of listings(createS3Requests(store, context, stsAddress), null)) {
        yield listed.filter(isDocument).map(({ key }) => store.idOf(key));
      }
    },
  });
}

export const s3 = createS3Connector();

async function* listings(requests: S3Requests, from: string | null): AsyncGenerator<S3Object[]> {
  let after = from;
  let token: string | null = null;
  for (;;) {
    const listing = await requests.list({ after, token });
    if (listing.objects.length > 0) yield listing.objects;
    if (!listing.isTruncated) return;
    const last = listing.objects.at(-1)?.key ?? null;
    if (listing.nextToken === null && (last === null || last === after)) {
      throw new SourceUnavailable('The store reports more objects, but not where to continue.');
    }
    after = last ?? after;
    token = listing.nextToken;
  }
}

/** Portions of a listing with at most one page of objects to download. */
async function* pagesOf(
  objects: readonly S3Object[],
  seenBefore: number,
  store: S3Store,
  requests: S3Requests,
  context: PollContext,
): AsyncGenerator<ConnectorPage<Checkpoint>> {
  const known = await context.recall(objects.map(({ key }) => memoryKey(key)));
  const first = await findFirstSince(context);
  const isUnchanged = ({ key, etag }: S3Object): boolean =>
    etag !== '' && known.get(memoryKey(key)) === etag;
  const isOld = ({ lastModified }: S3Object): boolean =>
    first.since !== null && lastModified !== null && lastModified < first.since;
  const isToFetch = (object: S3Object): boolean => !isUnchanged(object) && !isOld(object);
  let seen = seenBefore;
  let left = objects;
  while (left.length > 0) {
    const portion = portionOf(left, isToFetch);
    const { page, stoppedAt } = await readObjects(
      portion.filter(isToFetch),
      store,
      requests,
      context,
    );
    const stop = stoppedAt === null ? portion.length : portion.indexOf(stoppedAt);
    const done = portion.slice(0, stop);
    left = left.slice(stop);
    seen += done.length;
    for (const object of done) {
      const id = store.idOf(object.key);
      if (isUnchanged(object)) page.unchanged.push(id);
      else if (isOld(object)) page.skipped.push({ documentId: id, reason: TOO_OLD });
    }
    const last = done.at(-1)?.key ?? '';
    yield {
      ...page,
      memory: [...page.memory, first.memory],
      checkpoint: { after: last, seen },
      description: `${seen} objects, up to ${last}`,
    };
  }
}

const TOO_OLD = 'last changed before the time at which indexing begins';

/** From the first object on, until there is a page of objects to download. */
function portionOf(
  objects: readonly S3Object[],
  isToFetch: (object: S3Object) => boolean,
): readonly S3Object[] {
  let toFetch = 0;
  const end = objects.findIndex((object) => {
    if (isToFetch(object)) toFetch += 1;
    return toFetch === OBJECTS_PER_PAGE;
  });
  return end === -1 ? objects : objects.slice(0, end + 1);
}

/**
 * A few at a time, because each is held in memory until it is parsed.
 * @returns also where the time ran out
 */
async function readObjects(
  objects: readonly S3Object[],
  store: S3Store,
  requests: S3Requests,
  context: PollContext,
): Promise<{ page: ConnectorPage<null>; stoppedAt: S3Object | null }> {
  const page = pageOf({ checkpoint: null, description: '' });
  const time = startPageTime(context.clock);
  for (let start = 0; start < objects.length; start += CONCURRENT_REQUESTS) {
    const stoppedAt = objects[start];
    if (stoppedAt && start > 0 && time.isOver()) return { page, stoppedAt };
    const { results, failures } = await fetchEach(
      objects.slice(start, start + CONCURRENT_REQUESTS),
      ({ key }) => store.idOf(key),
      async (object) => ({ object, outcome: await readObject(object, store, requests, context) }),
    );
    for (const { object, outcome } of results) addToPage(page, object, outcome);
    page.failures.push(...failures);
  }
  return { page, stoppedAt: null };
}

function addToPage(page: ConnectorPage<null>, { key }: S3Object, outcome: ObjectOutcome): void {
  switch (outcome.kind) {
    case 'document': {
      const { document, etag } = outcome;
      page.documents.push(document);
      page.memory.push({ key: memoryKey(key), documentId: document.id, value: etag });
      return;
    }
    case 'failed':
      page.failures.push(outcome.failure);
      return;
    case 'skipped':
      page.skipped.push(outcome.skip);
      return;
    case 'gone':
      page.removed.push(outcome.id);
  }
}

function memoryKey(key: string): string {
  return `etag:${key}`;
}
