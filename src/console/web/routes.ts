import type { Access } from '#src/console/web/data/session.ts';
import type { IconName } from '#src/console/web/parts/icon.ts';
import type { Part } from '#src/console/web/parts/html.ts';

export interface View {
  /** Below the console; a part in braces is given to the page. */
  readonly path: string;
  /** The exported function of the page that shows it. */
  readonly load: () => Promise<Show>;
  /** What its requests require; null when it is seen without being signed in. */
  readonly needs: Access | null;
}

export type Show = (given: Readonly<Record<string, string>>) => Part;

export interface NavEntry {
  readonly path: string;
  readonly word: string;
  readonly icon: IconName;
  /** With `g`, the key that goes there. */
  readonly key: string;
}

/** What the navigation shows, in groups. */
export const NAVIGATION: readonly { name: string; entries: readonly NavEntry[] }[] = [
  {
    name: '',
    entries: [
      { path: '/', word: 'Overview', icon: 'overview', key: 'h' },
      { path: '/ask', word: 'Ask', icon: 'ask', key: 'a' },
      { path: '/documents', word: 'Documents', icon: 'document', key: 'd' },
      { path: '/connectors', word: 'Connectors', icon: 'connector', key: 'c' },
      { path: '/leads', word: 'Leads', icon: 'lead', key: 'e' },
      { path: '/mail', word: 'Sender accounts', icon: 'mail', key: 'i' },
      { path: '/webhooks', word: 'Webhooks', icon: 'webhook', key: 'w' },
    ],
  },
  {
    name: 'Operations',
    entries: [
      { path: '/operations', word: 'Queues', icon: 'operations', key: 'o' },
      { path: '/operations/workers', word: 'Workers', icon: 'worker', key: 'v' },
      {
        path: '/operations/schedules',
        word: 'Schedules',
        icon: 'clock',
        key: 's',
      },
      { path: '/operations/alarms', word: 'Alarms', icon: 'bell', key: 'l' },
      { path: '/operations/audit', word: 'Audit log', icon: 'audit', key: 'u' },
      { path: '/operations/workspaces', word: 'Workspaces', icon: 'building', key: 'b' },
    ],
  },
  {
    name: 'Settings',
    entries: [
      { path: '/settings/keys', word: 'API keys', icon: 'key', key: 'k' },
      { path: '/settings/members', word: 'Members', icon: 'people', key: 'm' },
      { path: '/settings/plan', word: 'Plan', icon: 'plan', key: 'n' },
      { path: '/settings/points', word: 'Points', icon: 'points', key: 't' },
      { path: '/settings/profile', word: 'Profile', icon: 'person', key: 'p' },
    ],
  },
];

/** Every address. A new page is one file and one line. */
export const VIEWS: readonly View[] = [
  open('/sign-in', async () => (await import('#src/console/web/pages/sign-in.ts')).SignIn),
  open('/sign-up', async () => (await import('#src/console/web/pages/sign-up.ts')).SignUp),
  open('/welcome', async () => (await import('#src/console/web/pages/welcome.ts')).Welcome),
  open(
    '/invitation',
    async () => (await import('#src/console/web/pages/invitation.ts')).Invitation,
  ),
  open(
    '/forgot-password',
    async () => (await import('#src/console/web/pages/reset-password.ts')).ForgotPassword,
  ),
  open(
    '/reset-password',
    async () => (await import('#src/console/web/pages/reset-password.ts')).ResetPassword,
  ),
  view('/', 'read', async () => (await import('#src/console/web/pages/overview.ts')).Overview),
  view(
    '/operations',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations.ts')).Operations,
  ),
  view(
    '/operations/workers',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations-workers.ts')).OperationsWorkers,
  ),
  view(
    '/operations/schedules',
    'operator-read',
    async () =>
      (await import('#src/console/web/pages/operations-schedules.ts')).OperationsSchedules,
  ),
  view(
    '/operations/alarms',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations-alarms.ts')).OperationsAlarms,
  ),
  view(
    '/operations/audit',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations-audit.ts')).OperationsAudit,
  ),
  view(
    '/operations/workspaces',
    'bootstrap-admin',
    async () =>
      (await import('#src/console/web/pages/operations-workspaces.ts')).OperationsWorkspaces,
  ),
  view(
    '/operations/{queue}/jobs',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations-jobs.ts')).OperationsJobs,
  ),
  view(
    '/operations/{queue}/jobs/{id}',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations-job.ts')).OperationsJob,
  ),
  view(
    '/operations/{queue}',
    'operator-read',
    async () => (await import('#src/console/web/pages/operations-queue.ts')).OperationsQueue,
  ),
  view('/ask', 'read', async () => (await import('#src/console/web/pages/ask.ts')).Ask),
  view(
    '/documents',
    'ingest',
    async () => (await import('#src/console/web/pages/documents.ts')).Documents,
  ),
  view(
    '/documents/{id}',
    'read-or-ingest',
    async () => (await import('#src/console/web/pages/document.ts')).DocumentPage,
  ),
  view(
    '/connectors',
    'admin',
    async () => (await import('#src/console/web/pages/connectors.ts')).Connectors,
  ),
  view(
    '/connectors/new',
    'admin',
    async () => (await import('#src/console/web/pages/connector-new.ts')).ConnectorNew,
  ),
  view(
    '/connectors/credentials',
    'admin',
    async () => (await import('#src/console/web/pages/connector-credentials.ts')).Credentials,
  ),
  view(
    '/connectors/{id}',
    'admin',
    async () => (await import('#src/console/web/pages/connector.ts')).ConnectorPage,
  ),
  view('/leads', 'read', async () => (await import('#src/console/web/pages/leads.ts')).Leads),
  view(
    '/leads/{id}',
    'read',
    async () => (await import('#src/console/web/pages/lead-scrape.ts')).LeadScrape,
  ),
  view('/mail', 'read', async () => (await import('#src/console/web/pages/mail.ts')).Mail),
  view(
    '/mail/{id}',
    'read',
    async () => (await import('#src/console/web/pages/mail-account.ts')).MailAccount,
  ),
  view(
    '/webhooks',
    'admin',
    async () => (await import('#src/console/web/pages/webhooks.ts')).Webhooks,
  ),
  view(
    '/webhooks/{id}',
    'admin',
    async () => (await import('#src/console/web/pages/webhook-endpoint.ts')).WebhookEndpoint,
  ),
  view(
    '/webhooks/deliveries/{id}',
    'admin',
    async () => (await import('#src/console/web/pages/webhook-delivery.ts')).WebhookDelivery,
  ),
  view(
    '/settings/plan',
    'any',
    async () => (await import('#src/console/web/pages/plan.ts')).PlanPage,
  ),
  view(
    '/settings/points',
    'any',
    async () => (await import('#src/console/web/pages/points.ts')).Points,
  ),
  view(
    '/settings/keys',
    'admin',
    async () => (await import('#src/console/web/pages/keys.ts')).Keys,
  ),
  view(
    '/settings/members',
    'admin',
    async () => (await import('#src/console/web/pages/members.ts')).Members,
  ),
  view(
    '/settings/profile',
    'any',
    async () => (await import('#src/console/web/pages/profile.ts')).Profile,
  ),
];

function view(path: string, needs: Access, load: () => Promise<Show>): View {
  return { path, load, needs };
}

/** A page that one sees without being signed in. */
function open(path: string, load: () => Promise<Show>): View {
  return { path, load, needs: null };
}
