import type { Logger } from 'pino';
import type { Producer } from '#queues/producer.ts';
import type { ChatModels } from './chat/model/chat-models.ts';
import type { UsageLedger } from './chat/model/usage-ledger.ts';
import type { AnswerRuns } from './chat/runs/answer-runs.ts';
import type { TurnWriter } from './chat/turn-writer.ts';
import type { PythonSandbox } from './chat/python/python-sandbox.ts';
import type { DocumentAcceptor } from './documents/accept-document.ts';
import type { DescribeImage } from './documents/image-sections.ts';
import type { Embedder } from './documents/embed.ts';
import type { DocumentReader } from './documents/document-reader.ts';
import type { IndexThreads } from './documents/index-threads.ts';
import type { IndexTurns } from './documents/index-turns.ts';
import type { Mailer } from './email/mailer.ts';
import type { ExtractorPool } from './leads/extract/extracted-page.ts';
import type { PageRenderer } from './connectors/page-renderer.ts';
import type { FileStore } from './files/file-store.ts';
import type { OpenFiles } from './files/open-file-store.ts';
import type { ParserPool } from './files/parser-pool.ts';
import type { Config } from './platform/config.ts';
import type { SecretBox } from './platform/crypto.ts';
import type { DataDirectory } from './platform/data-directory.ts';
import type { Database } from './platform/database.ts';
import type { DnsClient } from './platform/dns.ts';
import type { FinishWatch } from './platform/finish-watch.ts';
import type { HttpClient } from './platform/http.ts';
import type { Metrics } from './platform/metrics.ts';
import type { QueueBackend } from './platform/queue-backend.ts';
import type { RateLimitStore } from './platform/rate-limit-store.ts';
import type { PointsAwarder } from './points/award-in-background.ts';
import type { DeliveryLedger } from './webhooks/delivery-ledger.ts';

/** Everything a feature may be handed. Opened once per process, closed in reverse order. */
export interface Services extends AsyncDisposable {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: () => Date;
  /** Waits that long, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The embedded size's folder; null when the rows are on a server. */
  readonly dataDirectory: DataDirectory | null;
  readonly db: Database;
  readonly queueBackend: QueueBackend;
  readonly producer: Producer;
  readonly rateLimitStore: RateLimitStore;
  readonly metrics: Metrics;
  readonly embedder: Embedder;
  readonly indexThreads: IndexThreads;
  readonly indexTurns: IndexTurns;
  readonly documentReader: DocumentReader;
  /** Outbound HTTP to addresses that customers name. */
  readonly http: HttpClient;
  /** Outbound HTTP to webhook endpoints: connections of its own, plain HTTP to opened ranges only. */
  readonly webhookHttp: HttpClient;
  /** HTTP to what the operator names in the settings, private addresses included. */
  readonly operatorFetch: typeof globalThis.fetch;
  readonly dns: DnsClient;
  readonly mailer: Mailer;
  /** Requests wait by these for what a worker does meanwhile. */
  readonly scrapeWatch: FinishWatch;
  readonly messageWatch: FinishWatch;
  /** Starts its threads when the first page comes. */
  readonly leadExtractor: ExtractorPool;
  readonly deliveryLedger: DeliveryLedger;
  /** Awards points for what users do, after they have their answer. */
  readonly pointsAwarder: PointsAwarder;
  readonly secrets: SecretBox;
  /** For the tokens of unsubscribe links, whose keys outlive those of `secrets`. */
  readonly unsubscribeSecrets: SecretBox;
  readonly files: FileStore;
  /** Deletes stored files that belong to nobody. */
  readonly sweepFiles: OpenFiles['sweepFiles'];
  /** Words for the images of documents. */
  readonly describeImage: DescribeImage;
  /** Starts its threads when the first file comes. */
  readonly parsers: ParserPool;
  /** Null when no browser is installed. */
  readonly renderer: PageRenderer | null;
  readonly documentAcceptor: DocumentAcceptor;
  /** Starts a process for each run; null when `PYTHON_TOOL` is off. */
  readonly pythonSandbox: PythonSandbox | null;
  /** The chat answers that this process is writing. */
  readonly answerRuns: AnswerRuns;
  /** Chat turns that begin or end together are written together. */
  readonly turnWriter: TurnWriter;
  /** Without any, answers are extractive. */
  readonly chatModels: ChatModels;
  /** Tokens that workspaces use of them. */
  readonly usageLedger: UsageLedger;
}
