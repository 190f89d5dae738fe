import { resolve } from 'node:path';
import { z } from 'zod';
import { encryptionKeys } from './encryption-keys.ts';
import { findMisspelledSetting } from './misspelled-setting.ts';
import { cidrList, host } from './network-settings.ts';
import { optional, url, wholeNumber, withDefault } from './setting-kinds.ts';
import { isTracing, telemetrySettings, UNSUPPORTED_PROTOCOL } from './telemetry-settings.ts';

/** The size this process runs in; follows from `DATABASE_URL` and `REDIS_URL`. */
export type Size = 'embedded' | 'one-database' | 'scale-out';

/** Names separated by commas; the first is the default. */
const modelList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()).min(1, 'must name at least one model'));

const modelProvider = z.strictObject({
  name: z.string().trim().min(1),
  base_url: url('http:', 'https:'),
  api_key: z.string().optional(),
  models: z.array(z.string().trim().min(1)).min(1),
  context_tokens: z.int().min(2_000).optional(),
  tool_calls: z.boolean().optional(),
  vision: z.boolean().optional(),
});
const modelProviders = z
  .string()
  .transform((text, context) => {
    try {
      return text.trim() === '' ? [] : (JSON.parse(text) as unknown);
    } catch {
      context.addIssue('is not JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      modelProvider,
      'must be a JSON array of {"name", "base_url", "api_key", "models": [...]}',
    ),
  );

const settings = z.object({
  PORT: withDefault(wholeNumber(0, 65_535), 3000),
  HOST: withDefault(host, '127.0.0.1'),
  PUBLIC_URL: optional(url('http:', 'https:')),
  TRUSTED_PROXIES: withDefault(cidrList, ''),
  SIGN_UP: withDefault(z.enum(['closed', 'open']), 'closed'),
  OIDC_ISSUER: optional(url('http:', 'https:')),
  OIDC_CLIENT_ID: optional(z.string()),
  OIDC_CLIENT_SECRET: optional(z.string()),
  OIDC_NAME: withDefault(z.string(), 'Single sign-on'),
  DATA_DIR: withDefault(z.string(), '.data'),
  DATABASE_URL: optional(url('postgres:', 'postgresql:')),
  DATABASE_DIRECT_URL: optional(url('postgres:', 'postgresql:')),
  DATABASE_REPLICA_URL: optional(url('postgres:', 'postgresql:')),
  DATABASE_REPLICA_MAX_LAG_SECONDS: withDefault(wholeNumber(3, 3_600), 5),
  DATABASE_POOL_SIZE: withDefault(wholeNumber(2, 200), 10),
  REDIS_URL: optional(z.string()),
  ENCRYPTION_KEY: optional(encryptionKeys),
  BOOTSTRAP_ADMIN_API_KEY: optional(z.string()),
  LOG_LEVEL: withDefault(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
  ),
  EMBEDDING_PROVIDER: withDefault(z.enum(['builtin', 'openai', 'onnx']), 'builtin'),
  EMBEDDING_BASE_URL: optional(url('http:', 'https:')),
  EMBEDDING_API_KEY: optional(z.string()),
  EMBEDDING_MODEL: optional(z.string()),
  EMBEDDING_DIMENSIONS: withDefault(wholeNumber(8, 4000), 1024),
  LLM_BASE_URL: optional(url('http:', 'https:')),
  LLM_API_KEY: optional(z.string()),
  LLM_MODEL: optional(modelList),
  LLM_PROVIDERS: withDefault(modelProviders, ''),
  LLM_CONTEXT_TOKENS: withDefault(wholeNumber(2_000, 10_000_000), 128_000),
  LLM_TOOL_CALLS: withDefault(z.stringbool(), 'true'),
  LLM_VISION_MODEL: optional(z.string()),
  CHAT_MODELS: optional(modelList),
  IMAGE_BASE_URL: optional(url('http:', 'https:')),
  IMAGE_API_KEY: optional(z.string()),
  IMAGE_MODEL: optional(z.string()),
  PYTHON_TOOL: withDefault(z.stringbool(), 'true'),
  PYTHON_CONCURRENCY: withDefault(wholeNumber(1, 64), 3),
  OUTBOUND_ALLOW_CIDRS: withDefault(cidrList, ''),
  OUTBOUND_PROXY: optional(url('http:', 'https:')),
  CHROMIUM_PATH: optional(z.string()),
  STRIPE_SECRET_KEY: optional(z.string()),
  STRIPE_WEBHOOK_SECRET: optional(z.string()),
  STRIPE_API_URL: optional(url('http:', 'https:')),
  DEFAULT_PLAN: withDefault(z.enum(['Free', 'Personal', 'Pro', 'Agency', 'Enterprise']), 'Free'),
  PAYMENT_GRACE_DAYS: withDefault(wholeNumber(0, 90), 7),
  LUCKY_FIND_PROBABILITY: withDefault(z.coerce.number().min(0).max(1), 0.05),
  WEBHOOK_RETENTION_DAYS: withDefault(wholeNumber(7, 3650), 90),
  LEAD_SEARCH_PROVIDER: withDefault(z.enum(['index', 'searxng', 'brave']), 'index'),
  SEARXNG_URL: optional(url('http:', 'https:')),
  BRAVE_API_KEY: optional(z.string()),
  BRAVE_API_URL: withDefault(url('http:', 'https:'), 'https://api.search.brave.com'),
  LEAD_REQUEST_GAP_MS: withDefault(wholeNumber(0, 60_000), 1_000),
  LEAD_RETENTION_DAYS: withDefault(wholeNumber(1, 3650), 30),
  SMTP_ALLOW_PORT_25: withDefault(z.stringbool(), 'false'),
  EMAIL_RETENTION_DAYS: withDefault(wholeNumber(1, 3650), 90),
  RATE_LIMIT_PER_MINUTE: optional(wholeNumber(1, 1_000_000)),
  PLATFORM_RATE_LIMIT_PER_MINUTE: optional(wholeNumber(1, 1_000_000)),
  MAX_DOCUMENT_BYTES: withDefault(wholeNumber(1, 100_000_000), 20_000_000),
  MAX_PENDING_DOCUMENTS: withDefault(wholeNumber(1, 100_000_000), 100_000),
  MAX_FILE_BYTES: withDefault(wholeNumber(1, 1_000_000_000), 100_000_000),
  MAX_FILE_TOKENS: withDefault(wholeNumber(1, 100_000_000), 200_000),
  S3_ENDPOINT: optional(url('http:', 'https:')),
  S3_BUCKET: optional(z.string()),
  S3_REGION: withDefault(z.string(), 'us-east-1'),
  S3_ACCESS_KEY_ID: optional(z.string()),
  S3_SECRET_ACCESS_KEY: optional(z.string()),
  MAX_BODY_BYTES: withDefault(wholeNumber(1, 1_000_000_000), 64_000_000),
  VECTOR_PROMOTE_THRESHOLD: withDefault(wholeNumber(0, 100_000_000), 100_000),
  VECTOR_INDEX_WORKERS: withDefault(wholeNumber(0, 64), 0),
  VECTOR_INDEX_MEMORY_MB: withDefault(wholeNumber(1, 1_000_000), 1_024),
  METRICS_PORT: optional(wholeNumber(1, 65_535)),
  METRICS_TOKEN: optional(z.string().min(16, 'must have at least 16 characters')),
  OPEN_URL_POLICY: withDefault(z.enum(['known', 'any']), 'known'),
  CHAT_RESUME_SECONDS: withDefault(wholeNumber(0, 3_600), 60),
  START_WAIT_SECONDS: withDefault(wholeNumber(0, 86_400), 300),
  SHUTDOWN_TIMEOUT_SECONDS: withDefault(wholeNumber(1, 600), 20),
  DOCUMENT_INDEX_CONCURRENCY: withDefault(wholeNumber(1, 100), 3),
  CONNECTOR_SYNC_CONCURRENCY: withDefault(wholeNumber(1, 200), 32),
  CONNECTOR_PRUNE_CONCURRENCY: withDefault(wholeNumber(1, 200), 4),
  WEBHOOK_DELIVER_CONCURRENCY: withDefault(wholeNumber(1, 2_000), 200),
  LEAD_SCRAPE_CONCURRENCY: withDefault(wholeNumber(1, 200), 8),
  EMAIL_VERIFY_CONCURRENCY: withDefault(wholeNumber(1, 500), 20),
  EMAIL_SEND_CONCURRENCY: withDefault(wholeNumber(1, 500), 20),
  USER_FILE_CONCURRENCY: withDefault(wholeNumber(1, 100), 4),
  INDEX_THREADS: withDefault(wholeNumber(1, 64), 2),
  ...telemetrySettings.shape,
});

export type Config = z.output<typeof settings> & { size: Size };

/** A setting is invalid or contradicts another; the message names it and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Rules between settings, each with the message shown when it is broken. */
const CONTRADICTIONS: [(config: z.output<typeof settings>) => boolean, string][] = [
  [
    (config) =>
      config.OIDC_ISSUER !== undefined &&
      (config.OIDC_CLIENT_ID === undefined ||
        config.OIDC_CLIENT_SECRET === undefined ||
        config.PUBLIC_URL === undefined),
    'OIDC_ISSUER needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL, to which the provider sends browsers back.',
  ],
  [
    (config) => config.REDIS_URL !== undefined && config.DATABASE_URL === undefined,
    'REDIS_URL is set without DATABASE_URL: queues on Redis need a Postgres server beside them. Set DATABASE_URL, or remove REDIS_URL.',
  ],
  [
    (config) => config.DATABASE_DIRECT_URL !== undefined && config.DATABASE_URL === undefined,
    'DATABASE_DIRECT_URL is set without DATABASE_URL, whose connection pooler it goes around. Set DATABASE_URL, or remove DATABASE_DIRECT_URL.',
  ],
  [
    (config) => config.DATABASE_REPLICA_URL !== undefined && config.DATABASE_URL === undefined,
    'DATABASE_REPLICA_URL is set without DATABASE_URL, the primary of the replica. Set DATABASE_URL, or remove DATABASE_REPLICA_URL.',
  ],
  [
    (config) => config.DATABASE_URL !== undefined && config.ENCRYPTION_KEY === undefined,
    'ENCRYPTION_KEY is missing: with DATABASE_URL every process needs the same 32-byte key. Make one with: openssl rand -base64 32',
  ],
  [
    (config) =>
      config.EMBEDDING_PROVIDER === 'openai' &&
      (config.EMBEDDING_BASE_URL === undefined || config.EMBEDDING_MODEL === undefined),
    'EMBEDDING_PROVIDER=openai needs EMBEDDING_BASE_URL and EMBEDDING_MODEL.',
  ],
  [
    (config) => config.EMBEDDING_PROVIDER === 'onnx' && config.EMBEDDING_MODEL === undefined,
    'EMBEDDING_PROVIDER=onnx needs EMBEDDING_MODEL: the path of a local model folder.',
  ],
  [
    (config) =>
      config.EMBEDDING_PROVIDER === 'builtin' &&
      (config.EMBEDDING_DIMENSIONS < 256 ||
        config.EMBEDDING_DIMENSIONS > 2048 ||
        !Number.isInteger(Math.log2(config.EMBEDDING_DIMENSIONS))),
    'EMBEDDING_DIMENSIONS must be 256, 512, 1024 or 2048 for the builtin embedder.',
  ],
  [
    (config) => (config.LLM_BASE_URL === undefined) !== (config.LLM_MODEL === undefined),
    'LLM_BASE_URL and LLM_MODEL go together: set both for a model, neither for extractive answers.',
  ],
  [
    (config) => config.LLM_PROVIDERS.length > 0 && config.LLM_BASE_URL === undefined,
    'LLM_PROVIDERS adds to the provider of LLM_BASE_URL and LLM_MODEL. Set those too.',
  ],
  [
    (config) => {
      const names = ['openai-compatible', ...config.LLM_PROVIDERS.map(({ name }) => name)];
      return new Set(names.map((name) => name.toLowerCase())).size < names.length;
    },
    'LLM_PROVIDERS: each provider needs a unique name; "openai-compatible" is that of LLM_BASE_URL.',
  ],
  [
    (config) => (config.CHAT_MODELS?.length ?? 0) > 3,
    'CHAT_MODELS names more than three models. Name up to three, the default first.',
  ],
  [
    (config) =>
      config.IMAGE_MODEL !== undefined &&
      config.IMAGE_BASE_URL === undefined &&
      config.LLM_BASE_URL === undefined,
    'IMAGE_MODEL needs IMAGE_BASE_URL: the address of an OpenAI-compatible images endpoint.',
  ],
  [
    (config) =>
      config.S3_BUCKET !== undefined &&
      (config.S3_ENDPOINT === undefined ||
        config.S3_ACCESS_KEY_ID === undefined ||
        config.S3_SECRET_ACCESS_KEY === undefined),
    'S3_BUCKET needs S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
  ],
  [
    (config) => config.LEAD_SEARCH_PROVIDER === 'searxng' && config.SEARXNG_URL === undefined,
    'LEAD_SEARCH_PROVIDER=searxng needs SEARXNG_URL: the address of a SearXNG instance.',
  ],
  [
    (config) => config.LEAD_SEARCH_PROVIDER === 'brave' && config.BRAVE_API_KEY === undefined,
    'LEAD_SEARCH_PROVIDER=brave needs BRAVE_API_KEY.',
  ],
  [
    (config) => isTracing(config) && config.OTEL_EXPORTER_OTLP_PROTOCOL !== 'http/protobuf',
    UNSUPPORTED_PROTOCOL,
  ],
];

/**
 * Parses the environment into one `Config`.
 * @throws ConfigError naming the wrong setting and its remedy
 */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  rejectMisspelled(environment, settings, clientSettings);
  const parsed = settings.safeParse(environment);
  if (!parsed.success) throw wrongSettings(parsed.error);
  const broken = CONTRADICTIONS.find(([applies]) => applies(parsed.data));
  if (broken) throw new ConfigError(broken[1]);
  return { ...parsed.data, DATA_DIR: resolve(parsed.data.DATA_DIR), size: sizeOf(parsed.data) };
}

/** The only reader of `process.env`. */
export function readConfig(): Config {
  return parseConfig(process.env);
}

const clientSettings = z.object({
  MILLRACE_URL: optional(url('http:', 'https:')),
  MILLRACE_API_KEY: optional(z.string()),
  MILLRACE_SMTP_PASSWORD: optional(z.string()),
  MILLRACE_MAILBOX_PASSWORD: optional(z.string()),
  DATA_DIR: withDefault(z.string(), '.data'),
});

/** Settings of the `millrace` command: where the service is, which key to use, and the password of a sender account. */
export function readClientConfig(): z.output<typeof clientSettings> {
  rejectMisspelled(process.env, clientSettings, settings);
  const parsed = clientSettings.safeParse(process.env);
  if (!parsed.success) throw wrongSettings(parsed.error);
  return parsed.data;
}

/** A misspelled name would be silently ignored, and the service would run as if it were not set. */
function rejectMisspelled(
  environment: Record<string, string | undefined>,
  own: z.ZodObject,
  others: z.ZodObject,
): void {
  const slip = findMisspelledSetting(
    environment,
    Object.keys(own.shape),
    Object.keys(others.shape),
  );
  if (slip === null) return;
  const { found, meant } = slip;
  throw new ConfigError(
    `${found} is not a setting of Millrace; ${meant} is. Correct the name, or, when ${found} belongs to other software, set ${meant} as well, blank for its default.`,
  );
}

function wrongSettings({ issues }: z.ZodError): ConfigError {
  const sentences = issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  return new ConfigError(`Wrong settings. ${sentences.join('; ')}`);
}

function sizeOf(config: z.output<typeof settings>): Size {
  if (config.DATABASE_URL === undefined) return 'embedded';
  return config.REDIS_URL === undefined ? 'one-database' : 'scale-out';
}
