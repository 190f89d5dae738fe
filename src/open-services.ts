import type { Logger } from 'pino';
import { openSignIn } from './accounts/people/sign-in.ts';
import { explainNoSeat } from './billing/plans.ts';
import { createServiceMail } from './email/service-mail.ts';
import { QUEUES } from '#queues/index.ts';
import { openProducer, type Producer } from '#queues/producer.ts';
import packageJson from '#package.json' with { type: 'json' };
import { createDescribeImage } from './chat/user-files/describe-image.ts';
import { openChatModels } from './chat/model/open-chat-models.ts';
import { createUsageLedger } from './chat/model/usage-ledger.ts';
import { createAnswerRuns } from './chat/runs/answer-runs.ts';
import { createTurnWriter } from './chat/turns/turn-writer.ts';
import { openPythonSandbox } from './chat/python/python-sandbox.ts';
import { openChromiumRenderer } from './connectors/kinds/web/chromium-renderer.ts';
import { findChromium } from './connectors/kinds/web/find-chromium.ts';
import { createDocumentAcceptor, FLUSH_BYTES } from './documents/accept-document.ts';
import { createEmbedder } from './documents/create-embedder.ts';
import { assertEmbeddingModel } from './documents/embedding-model.ts';
import { openDocumentReader } from './documents/document-reader.ts';
import { type IndexThreads, openIndexThreads } from './documents/index-threads.ts';
import { createIndexTurns } from './documents/index-turns.ts';
import { openLineRoom } from './documents/line-room.ts';
import { createPendingLimit } from './documents/pending-limit.ts';
import { createInboxes } from './email/bounces/open-inboxes.ts';
import { openReportReader } from './email/bounces/report-reader.ts';
import { createMailer } from './email/smtp.ts';
import { assertKeyRing } from './encryption/assert-key-ring.ts';
import { readKeyRing } from './encryption/key-ring.ts';
import { openFileStore } from './files/open-file-store.ts';
import { openParserPool } from './files/parser-pool.ts';
import { openExtractorPool } from './leads/extract/extractor-pool.ts';
import { createBackground } from './platform/background.ts';
import { baseUrlOf } from './platform/base-url.ts';
import { openOperations } from './operations/open-operations.ts';
import type { Config } from './platform/config.ts';
import { type DataDirectory, openDataDirectory } from './platform/data-directory.ts';
import type { Database, OpenDatabase } from './platform/database.ts';
import { createDnsClient } from './platform/dns.ts';
import { createFinishWatch } from './platform/finish-watch.ts';
import { createHttpClient, createOperatorFetch, type HttpClient } from './platform/http.ts';
import { createLog } from './platform/log.ts';
import { openQueueBackend, type QueueBackend } from './platform/queue-backend.ts';
import { openRateLimitStore } from './platform/open-rate-limit-store.ts';
import { traceCalls, traceFetch } from './platform/trace-outbound.ts';
import { openTracing, type Tracing } from './platform/tracing.ts';
import { openMetrics } from './open-metrics.ts';
import { waitFor } from './platform/wait-for.ts';
import type { WaitPolicy } from './platform/wait-for-server.ts';
import type { Services } from './services.ts';
import { openRows } from './open-rows.ts';
import { openUnsubscribeKeys } from './outreach/unsubscribe-keys.ts';
import { createPointsAwarder } from './points/award-in-background.ts';
import { createDeliveryLedger } from './webhooks/delivery-ledger.ts';

export interface StartOptions {
  /** By default a new one. */
  log?: Logger;
  /** Aborts the wait for Postgres or Redis, with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Opens what a process needs, in order, and checks that it is consistent. When a step fails, what was opened before is
 * closed. Waits for unavailable servers, for at most `START_WAIT_SECONDS`.
 * @throws StartError or ConfigError with a message that says what to change
 */
export async function openServices(config: Config, options: StartOptions = {}): Promise<Services> {
  await using opened = new AsyncDisposableStack();
  const log = options.log ?? createLog(config.LOG_LEVEL);
  const patience = waitPolicyOf(config, log, options);
  const tracing = await openTracing(config, { log, version: packageJson.version });
  opened.defer(() => tracing.close());
  const dataDirectory = await openOwnDirectory(config, opened);
  const started = { dataDirectory, patience, tracing };
  const { database, rows } = await openRows(config, started, opened);
  const { encryptionKey, ...sealing } = await openSecrets(config, database.db, dataDirectory);
  const backend = await openBackend(config, database, log, patience);
  opened.defer(() => backend.close());
  const producer = await openProducer(backend, QUEUES, tracing);
  opened.defer(() => producer.close());
  const features = await openFeatures(config, database.db, { producer, tracing, log }, opened);
  const outside = openOutside(config, database.db, { ...features, log, tracing }, opened);
  const deliveryLedger = createDeliveryLedger(database.db);
  opened.defer(() => deliveryLedger.idle());
  const mail = createServiceMail({ ...outside, ...sealing, db: database.db, log, clock, producer });
  const pointsAwarder = createPointsAwarder({ db: database.db, config, log, clock });
  opened.defer(() => pointsAwarder.idle());
  const turnWriter = createTurnWriter(database.db);
  opened.defer(() => turnWriter.idle());
  const answerRuns = createAnswerRuns({ db: database.db, log });
  opened.defer(() => answerRuns.close());
  const usageLedger = createUsageLedger({ db: database.db, log, clock });
  opened.defer(() => usageLedger.idle());
  const metrics = openMetrics({ ...rows, producer, clock });
  const rateLimitStore = await openRateLimitStore(database, { backend, log, clock }, opened);
  const resources = opened.move();
  return {
    config,
    log,
    clock,
    wait: waitFor,
    dataDirectory,
    ...rows,
    inBackground: createBackground(database.idleMs),
    queueBackend: backend,
    producer,
    rateLimitStore,
    metrics,
    tracing,
    ...openOperations(clock, metrics),
    ...features,
    ...outside,
    signIn: openSignIn({ config, db: database.db, log, encryptionKey, mail, explainNoSeat }),
    answerRuns,
    turnWriter,
    describeImage: createDescribeImage({ db: database.db, ...features, ...outside, usageLedger }),
    deliveryLedger,
    pointsAwarder,
    usageLedger,
    scrapeWatch: createFinishWatch(database.db, 'lead_scrape'),
    messageWatch: createFinishWatch(database.db, 'email_message'),
    ...sealing,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Of a busy processor, indexing then gets a third of what another thread gets. Searches, and the database that serves
 * them, run in the same process and go first.
 */
const EMBEDDED_NICENESS = 5;

const clock = (): Date => new Date();

function waitPolicyOf(
  { START_WAIT_SECONDS: seconds }: Config,
  log: Logger,
  { signal = null }: { signal?: AbortSignal | null },
): WaitPolicy {
  return { log, signal, timeoutMs: seconds * 1_000 };
}

async function openOwnDirectory(
  config: Config,
  opened: AsyncDisposableStack,
): Promise<DataDirectory | null> {
  if (config.size !== 'embedded') return null;
  const directory = await openDataDirectory(config.DATA_DIR);
  opened.defer(() => directory.release());
  directory.saveSecrets(directory.secrets);
  return directory;
}

/** @throws StartError when a key is missing or wrong */
async function openSecrets(
  config: Config,
  db: Database,
  dataDirectory: DataDirectory | null,
): Promise<Pick<Services, 'secrets' | 'unsubscribeSecrets'> & { encryptionKey: Buffer }> {
  const ring = readKeyRing(config, dataDirectory);
  await assertKeyRing(db, ring);
  const { keys, secrets } = ring;
  const [encryptionKey] = keys;
  if (encryptionKey === undefined) throw new Error('The key ring is empty.');
  const unsubscribeSecrets = await openUnsubscribeKeys(db, secrets, keys);
  return { secrets, unsubscribeSecrets, encryptionKey };
}

function openBackend(
  config: Config,
  { pglite }: OpenDatabase,
  log: Logger,
  patience: WaitPolicy,
): Promise<QueueBackend> {
  return openQueueBackend({
    size: config.size,
    pglite,
    // Queues in Postgres listen, and name their schema in the session.
    databaseUrl: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    log,
    patience,
  });
}

async function openFeatures(
  config: Config,
  db: Database,
  { producer, tracing, log }: { producer: Producer; tracing: Tracing; log: Logger },
  opened: AsyncDisposableStack,
) {
  const indexThreads: IndexThreads = openIndexThreads(
    config.INDEX_THREADS,
    log,
    config.size === 'embedded' ? EMBEDDED_NICENESS : 0,
  );
  opened.defer(() => indexThreads.close());
  const documentReader = openDocumentReader(log);
  opened.defer(() => documentReader.close());
  const operatorFetch = traceFetch(createOperatorFetch(), tracing);
  const embedder = await createEmbedder(config, operatorFetch, indexThreads);
  opened.defer(() => embedder.close());
  await assertEmbeddingModel(db, embedder);
  const limit = createPendingLimit(db, config.MAX_PENDING_DOCUMENTS, () => new Date());
  const flushBytes = FLUSH_BYTES[config.size === 'embedded' ? 'embedded' : 'server'];
  const documentAcceptor = createDocumentAcceptor(db, producer, limit, log, flushBytes, tracing);
  opened.defer(() => documentAcceptor.idle());
  const chatModels = openChatModels(config, operatorFetch);
  const indexTurns = createIndexTurns(db, config.DOCUMENT_INDEX_CONCURRENCY);
  return {
    indexThreads,
    indexTurns,
    documentReader,
    lineRoom: openLineRoom(config.MAX_DOCUMENT_BYTES),
    embedder,
    documentAcceptor,
    operatorFetch,
    chatModels,
  };
}

/** Services that reach out, or accept files, on behalf of customers. */
function openOutside(
  config: Config,
  db: Database,
  {
    operatorFetch,
    log,
    tracing,
  }: { operatorFetch: typeof globalThis.fetch; log: Logger; tracing: Tracing },
  opened: AsyncDisposableStack,
) {
  const http = opened.use(
    openClient(tracing, {
      allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
      proxyUrl: config.OUTBOUND_PROXY ?? null,
      userAgent: `Millrace/${packageJson.version} (+${baseUrlOf(config)}/)`,
    }),
  );
  const webhookHttp = opened.use(
    openClient(tracing, {
      allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
      proxyUrl: config.OUTBOUND_PROXY ?? null,
      userAgent: `Millrace-Webhooks/${packageJson.version}`,
      connectTimeoutMs: 5_000,
      maxOrigins: 1_024,
      // The endpoints' lanes limit them; one customer's slow receivers must not use up the connections to a shared
      // host.
      connectionsPerOrigin: null,
      plainHttp: 'opened',
    }),
  );
  const executablePath = findChromium(config.CHROMIUM_PATH);
  const renderer =
    executablePath === null
      ? null
      : opened.use(openChromiumRenderer({ executablePath, http, log }));
  return {
    http,
    webhookHttp,
    renderer,
    ...openFileStore(config, { db, operatorFetch, clock: () => new Date() }),
    dns: createDnsClient(),
    mailer: createMailer({ guard: http.guard, allowPort25: config.SMTP_ALLOW_PORT_25 }),
    inboxes: createInboxes({ guard: http.guard, clock }),
    reportReader: opened.use(openReportReader()),
    leadExtractor: opened.use(openExtractorPool()),
    parsers: opened.use(openParserPool({ maxFileBytes: config.MAX_FILE_BYTES })),
    pythonSandbox: config.PYTHON_TOOL
      ? opened.use(openPythonSandbox({ concurrency: config.PYTHON_CONCURRENCY }))
      : null,
  };
}

function openClient(tracing: Tracing, options: Parameters<typeof createHttpClient>[0]): HttpClient {
  return traceCalls(createHttpClient(options), tracing);
}
