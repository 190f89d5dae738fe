/**
 * Which folders of `src` may import which, from the bottom layer up. A folder may always import itself, `ids.ts`,
 * `queues` and the ground layer (`tables`, `platform`); its line lists the other folders, or single files of them. A
 * line may only list folders from lines above it, so imports cannot be circular. Anything else is passed in as an
 * argument.
 */
export const FEATURES: Readonly<Record<string, readonly string[]>> = {
  tables: [],
  platform: [],
  accounts: [],
  webhooks: ['accounts/lock-workspace.ts'],
  files: [],
  encryption: [],
  points: [],
  outreach: ['accounts'],
  billing: ['accounts', 'webhooks/emit-event.ts'],
  documents: ['webhooks/emit-event.ts', 'webhooks/listening-workspaces.ts'],
  connectors: ['webhooks/emit-event.ts', 'files', 'documents'],
  leads: [
    'accounts/lock-workspace.ts',
    'webhooks/emit-event.ts',
    'points/points-services.ts',
    'files',
    'outreach',
    'documents',
  ],
  email: [
    'accounts/lock-workspace.ts',
    'webhooks/emit-event.ts',
    'points/points-services.ts',
    'billing/plans.ts',
    'outreach',
  ],
  chat: [
    'accounts/lock-workspace.ts',
    'accounts/lock-user.ts',
    'files',
    'documents',
    'connectors/administration/document-sets.ts',
    'leads',
  ],
  client: ['chat/wire/packets.ts', 'chat/citations/written-citations.ts'],
  cli: [
    'client',
    'files',
    'billing/plans.ts',
    'chat/citations/written-citations.ts',
    'webhooks/sign.ts',
  ],
  console: [],
  api: [
    'services.ts',
    'webhooks',
    'files',
    'accounts',
    'encryption',
    'points',
    'outreach',
    'billing',
    'documents',
    'connectors',
    'leads',
    'email',
    'chat',
    'console',
  ],
};

/**
 * The folders inside a feature, from the bottom layer up: each may import those before it. `.` is the feature's own
 * files; a star marks folders that may not import each other.
 */
export const FLOORS: Readonly<Record<string, readonly string[]>> = {
  webhooks: ['.', 'administration'],
  connectors: [
    '.',
    'source',
    'kinds/web',
    'kinds/tracker',
    'kinds/*',
    'kinds',
    'runs',
    'administration',
  ],
  documents: ['.', 'search'],
  leads: ['lexicon', 'extract', '.', 'merge', 'visit', 'search', 'scrapes'],
  email: ['.', 'administration'],
  chat: [
    'wire',
    'model',
    'citations',
    'prompt',
    'tools',
    'steps',
    'python',
    'turns',
    'runs',
    '.',
    'search',
    'extract',
    'images',
    'custom-tools',
    'built-in-tools',
    'projects',
    'user-files',
    'agents',
    'sessions',
    'research',
    'stream',
    'request',
    'answer',
  ],
  api: ['.', 'routes'],
};

/** One door per external dependency: its modules, and the only files that may import them. */
export const DOORS: readonly { modules: readonly string[]; places: readonly string[] }[] = [
  { modules: ['koa', '@koa/router'], places: ['src/api/'] },
  {
    modules: ['bullmq'],
    places: [
      'queues/producer.ts',
      'workers/worker.ts',
      'src/platform/queue-backend.ts',
      'src/platform/pglite-pool.ts',
      'src/platform/worker-connection.ts',
      'src/console/',
    ],
  },
  {
    modules: ['pg(-[a-z-]+)?', '@electric-sql/pglite[a-z-]*'],
    places: [
      'src/platform/database.ts',
      'src/platform/embedded-database.ts',
      'src/platform/pglite.ts',
      'src/platform/pglite-client.ts',
      'src/platform/pglite-thread.ts',
      'src/platform/postgres.ts',
      'src/platform/queue-backend.ts',
      'src/platform/pglite-pool.ts',
      'src/platform/worker-connection.ts',
    ],
  },
  { modules: ['ioredis'], places: ['src/platform/redis.ts'] },
  { modules: ['undici'], places: ['src/platform/http.ts'] },
  { modules: ['nodemailer'], places: ['src/email/smtp.ts'] },
  { modules: ['imapflow'], places: ['src/connectors/kinds/imap/imap-session.ts'] },
  { modules: ['stripe'], places: ['src/billing/stripe-client.ts'] },
  { modules: ['playwright-core'], places: ['src/connectors/kinds/web/chromium-renderer.ts'] },
  {
    modules: ['@modelcontextprotocol/sdk', '@scalar/openapi-parser'],
    places: [
      'src/chat/custom-tools/read-openapi.ts',
      'src/chat/custom-tools/mcp-session.ts',
      'src/chat/custom-tools/mcp-fetch.ts',
      'src/chat/custom-tools/explain-mcp-failure.ts',
    ],
  },
  {
    modules: ['(node:)?child_process'],
    places: [
      'src/chat/python/spawn-runner.ts',
      'src/chat/python/lock-down.ts',
      'src/cli/launch.js',
    ],
  },
  { modules: ['(node:)?process'], places: [] },
];
