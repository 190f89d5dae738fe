import type { IconName } from '#src/console/web/parts/icon.ts';
import type { Part } from '#src/console/web/parts/html.ts';

export interface View {
  /** Below the console; a part in braces is given to the page. */
  readonly path: string;
  /** The exported function of the page that shows it. */
  readonly load: () => Promise<Show>;
  /** Seen without being signed in. */
  readonly isOpen: boolean;
}

export type Show = (given: Readonly<Record<string, string>>) => Part;

export type Audience = 'everybody' | 'admin' | 'operator';

export interface NavEntry {
  readonly path: string;
  readonly word: string;
  readonly icon: IconName;
  readonly for: Audience;
  /** With `g`, the key that goes there. */
  readonly key: string;
}

/** What the navigation shows, in groups. */
export const NAVIGATION: readonly { name: string; entries: readonly NavEntry[] }[] = [
  {
    name: '',
    entries: [
      { path: '/', word: 'Overview', icon: 'overview', for: 'everybody', key: 'h' },
      { path: '/ask', word: 'Ask', icon: 'ask', for: 'everybody', key: 'a' },
      { path: '/documents', word: 'Documents', icon: 'document', for: 'everybody', key: 'd' },
      { path: '/connectors', word: 'Connectors', icon: 'connector', for: 'admin', key: 'c' },
      { path: '/leads', word: 'Leads', icon: 'lead', for: 'everybody', key: 'e' },
      { path: '/mail', word: 'Sender accounts', icon: 'mail', for: 'everybody', key: 'i' },
      { path: '/webhooks', word: 'Webhooks', icon: 'webhook', for: 'admin', key: 'w' },
    ],
  },
  {
    name: 'Operations',
    entries: [
      { path: '/operations', word: 'Queues', icon: 'operations', for: 'operator', key: 'o' },
      { path: '/operations/workers', word: 'Workers', icon: 'worker', for: 'operator', key: 'v' },
      {
        path: '/operations/schedules',
        word: 'Schedules',
        icon: 'clock',
        for: 'operator',
        key: 's',
      },
      { path: '/operations/alarms', word: 'Alarms', icon: 'bell', for: 'operator', key: 'l' },
      { path: '/operations/audit', word: 'Audit log', icon: 'audit', for: 'operator', key: 'u' },
    ],
  },
  {
    name: 'Settings',
    entries: [
      { path: '/settings/keys', word: 'API keys', icon: 'key', for: 'admin', key: 'k' },
      { path: '/settings/members', word: 'Members', icon: 'people', for: 'admin', key: 'm' },
      { path: '/settings/plan', word: 'Plan', icon: 'plan', for: 'everybody', key: 'n' },
      { path: '/settings/points', word: 'Points', icon: 'points', for: 'everybody', key: 't' },
      { path: '/settings/profile', word: 'Profile', icon: 'person', for: 'everybody', key: 'p' },
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
  view('/', async () => (await import('#src/console/web/pages/overview.ts')).Overview),
  view(
    '/operations',
    async () => (await import('#src/console/web/pages/operations.ts')).Operations,
  ),
  view(
    '/operations/workers',
    async () => (await import('#src/console/web/pages/operations-workers.ts')).OperationsWorkers,
  ),
  view(
    '/operations/schedules',
    async () =>
      (await import('#src/console/web/pages/operations-schedules.ts')).OperationsSchedules,
  ),
  view(
    '/operations/alarms',
    async () => (await import('#src/console/web/pages/operations-logs.ts')).OperationsAlarms,
  ),
  view(
    '/operations/audit',
    async () => (await import('#src/console/web/pages/operations-logs.ts')).OperationsAudit,
  ),
  view(
    '/operations/{queue}',
    async () => (await import('#src/console/web/pages/operations-queue.ts')).OperationsQueue,
  ),
  view('/ask', async () => (await import('#src/console/web/pages/ask.ts')).Ask),
  view('/documents', async () => (await import('#src/console/web/pages/documents.ts')).Documents),
  view(
    '/documents/{id}',
    async () => (await import('#src/console/web/pages/document.ts')).DocumentPage,
  ),
  view(
    '/connectors',
    async () => (await import('#src/console/web/pages/connectors.ts')).Connectors,
  ),
  view(
    '/connectors/new',
    async () => (await import('#src/console/web/pages/connector-new.ts')).ConnectorNew,
  ),
  view(
    '/connectors/{id}',
    async () => (await import('#src/console/web/pages/connector.ts')).ConnectorPage,
  ),
  view('/leads', async () => (await import('#src/console/web/pages/leads.ts')).Leads),
  view(
    '/leads/{id}',
    async () => (await import('#src/console/web/pages/lead-scrape.ts')).LeadScrape,
  ),
  view('/mail', async () => (await import('#src/console/web/pages/mail.ts')).Mail),
  view(
    '/mail/{id}',
    async () => (await import('#src/console/web/pages/mail-account.ts')).MailAccount,
  ),
  view('/webhooks', async () => (await import('#src/console/web/pages/webhooks.ts')).Webhooks),
  view(
    '/webhooks/{id}',
    async () => (await import('#src/console/web/pages/webhook-endpoint.ts')).WebhookEndpoint,
  ),
  view(
    '/webhooks/deliveries/{id}',
    async () => (await import('#src/console/web/pages/webhook-delivery.ts')).WebhookDelivery,
  ),
  view('/settings/plan', async () => (await import('#src/console/web/pages/plan.ts')).PlanPage),
  view('/settings/points', async () => (await import('#src/console/web/pages/points.ts')).Points),
  view('/settings/keys', async () => (await import('#src/console/web/pages/keys.ts')).Keys),
  view(
    '/settings/members',
    async () => (await import('#src/console/web/pages/members.ts')).Members,
  ),
  view(
    '/settings/profile',
    async () => (await import('#src/console/web/pages/profile.ts')).Profile,
  ),
];

function view(path: string, load: () => Promise<Show>): View {
  return { path, load, isOpen: false };
}

/** A page that one sees without being signed in. */
function open(path: string, load: () => Promise<Show>): View {
  return { path, load, isOpen: true };
}
