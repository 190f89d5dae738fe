import { asciiHost } from './smtp-address.ts';

/** What a provider accepts from one SMTP user. */
export interface ProviderLimit {
  provider: string;
  perMinute: number | null;
  perHour: number | null;
  /** Within any 24 hours: no listed provider counts calendar days for all customers alike. */
  perDay: number | null;
  /** The provider's page that states the figures. */
  source: string;
}

interface Entry extends ProviderLimit {
  hosts: RegExp;
  /** Restricts the figures to SMTP users of these domains, where a host serves several kinds. */
  domains?: RegExp;
}

const UNLIMITED = { perMinute: null, perHour: null, perDay: null };

/**
 * Providers with published limits. If they depend on the customer, the lowest that an outreach account can have. Other
 * limits are learned from replies.
 */
const ENTRIES: readonly Entry[] = [
  {
    ...UNLIMITED,
    provider: 'Gmail',
    hosts: /^smtp\.(?:gmail|googlemail)\.com$/,
    domains: /^(?:gmail|googlemail)\.com$/,
    perDay: 500,
    source: 'https://support.google.com/mail/answer/22839',
  },
  {
    ...UNLIMITED,
    provider: 'Google Workspace',
    hosts: /^smtp\.(?:gmail|googlemail)\.com$/,
    perDay: 2_000,
    source: 'https://support.google.com/a/answer/166852',
  },
  // 5,000 recipients, at most 1,000 of them new.
  {
    ...UNLIMITED,
    provider: 'Outlook.com',
    hosts: /^smtp-mail\.outlook\.com$/,
    perDay: 1_000,
    source:
      'https://support.microsoft.com/office/sending-limits-in-outlook-com-279ee200-594c-40f0-9ec8-bb6af7735c2e',
  },
  {
    ...UNLIMITED,
    provider: 'Outlook.com',
    hosts: /^(?:smtp|smtp-legacy|outlook)\.office365\.com$/,
    domains: /^(?:outlook|hotmail|live|msn)\.[a-z]{2,3}(?:\.[a-z]{2})?$/,
    perDay: 1_000,
    source:
      'https://support.microsoft.com/office/sending-limits-in-outlook-com-279ee200-594c-40f0-9ec8-bb6af7735c2e',
  },
  {
    ...UNLIMITED,
    provider: 'Microsoft 365',
    hosts: /^(?:smtp|smtp-legacy|outlook)\.office365\.com$/,
    perMinute: 30,
    perDay: 10_000,
    source:
      'https://learn.microsoft.com/exchange/troubleshoot/send-emails/smtp-submission-improvements',
  },
  {
    ...UNLIMITED,
    provider: 'Yahoo',
    hosts: /^(?:smtp|plus\.smtp)\.mail\.yahoo\.com$|^smtp\.bizmail\.yahoo\.com$/,
    perDay: 500,
    source: 'https://help.yahoo.com/kb/SLN17518.html',
  },
  {
    ...UNLIMITED,
    provider: 'iCloud Mail',
    hosts: /^smtp\.mail\.(?:me|icloud)\.com$/,
    perDay: 1_000,
    source: 'https://support.apple.com/102198',
  },
  // 50 to 500, depending on the sender's reputation.
  {
    ...UNLIMITED,
    provider: 'Zoho Mail',
    hosts: /^smtp(?:pro)?\.zoho(?:cloud)?\.(?:ae|ca|com|com\.au|com\.cn|eu|in|jp|sa|uk)$/,
    perHour: 50,
    source: 'https://www.zoho.com/mail/help/adminconsole/rates-and-limits.html',
  },
  {
    ...UNLIMITED,
    provider: 'Yandex Mail',
    hosts: /^smtp\.(?:yandex\.(?:by|com|com\.tr|kz|ru)|ya\.ru)$/,
    perDay: 500,
    source: 'https://yandex.com/support/mail/web/letter/create/send-many-letters.html',
  },
  // For contracts older than 30 days; newer ones have less.
  {
    ...UNLIMITED,
    provider: 'IONOS',
    hosts: /^smtp\.(?:ionos|1and1|1und1)\.(?:com|co\.uk|ca|de|es|fr|it)$/,
    perHour: 500,
    source: 'https://www.ionos.com/help/email/general-topics/what-are-the-mass-mailing-limits',
  },
  {
    ...UNLIMITED,
    provider: 'GoDaddy',
    hosts: /^smtpout\.(?:asia\.|europe\.)?secureserver\.net$/,
    perDay: 250,
    source: 'https://www.godaddy.com/help/how-many-email-messages-can-i-send-per-day-313',
  },
  // 1,440 with larger plans.
  {
    ...UNLIMITED,
    provider: 'Infomaniak',
    hosts: /^mail\.infomaniak\.(?:ch|com)$/,
    perDay: 500,
    source:
      'https://www.infomaniak.com/en/support/faq/2065/understanding-the-24-hour-outgoing-email-limit',
  },
  // One per second while the account is in the sandbox.
  {
    ...UNLIMITED,
    provider: 'Amazon SES',
    hosts: /^email-smtp(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
    perMinute: 60,
    source: 'https://docs.aws.amazon.com/ses/latest/dg/quotas.html',
  },
];

/** The published limits of a server for an SMTP user; null if unknown. */
export function providerLimitOf({
  host,
  user,
}: {
  host: string;
  user: string;
}): ProviderLimit | null {
  const name = asciiHost(host).toLowerCase();
  const domain = user.slice(user.lastIndexOf('@') + 1).toLowerCase();
  const found = ENTRIES.find(
    ({ hosts, domains }) => hosts.test(name) && domains?.test(domain) !== false,
  );
  if (!found) return null;
  const { provider, perMinute, perHour, perDay, source } = found;
  return { provider, perMinute, perHour, perDay, source };
}

/** All limits without duplicates, for the manual. */
export function listProviderLimits(): ProviderLimit[] {
  return ENTRIES.map(({ provider, perMinute, perHour, perDay, source }) => ({
    provider,
    perMinute,
    perHour,
    perDay,
    source,
  }));
}
