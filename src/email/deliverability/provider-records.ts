/** The records that customers of a provider publish for their own domains. */
export interface ProviderRecords {
  name: string;
  /** The domain to include in the SPF record; null when the provider uses its own envelope address. */
  include: string | null;
  /**
   * The provider's domain in the envelope address, unless the customer configures another. Receivers then check SPF for
   * that domain, which proves nothing about the sender's.
   */
  envelope: string | null;
  /** Where customers find the DKIM key. */
  dkimAt: string;
}

/** By suffix of the SMTP host. From the providers' pages about SPF and DKIM. */
const PROVIDERS: readonly (ProviderRecords & { hosts: readonly string[] })[] = [
  // https://support.google.com/a/answer/33786, https://support.google.com/a/answer/180504
  own(
    'Google Workspace',
    ['gmail.com'],
    '_spf.google.com',
    'the Google Admin console under Apps > Google Workspace > Gmail > Authenticate email',
  ),
  // https://learn.microsoft.com/defender-office-365/email-authentication-spf-configure
  own(
    'Microsoft 365',
    ['office365.com', 'outlook.com'],
    'spf.protection.outlook.com',
    'the Microsoft Defender portal under Email authentication settings > DKIM',
  ),
  // https://www.fastmail.help/hc/en-us/articles/360060591153
  own(
    'Fastmail',
    ['fastmail.com', 'messagingengine.com'],
    'spf.messagingengine.com',
    'Fastmail under Settings > Domains',
  ),
  // https://www.zoho.com/mail/help/adminconsole/spf-configuration.html
  own(
    'Zoho Mail',
    ['zoho.com'],
    'zohomail.com',
    'the Zoho Mail admin console under Domains > Email configuration',
  ),
  own(
    'Zoho Mail',
    ['zoho.eu'],
    'zohomail.eu',
    'the Zoho Mail admin console under Domains > Email configuration',
  ),
  // https://proton.me/support/anti-spoofing-custom-domain
  own(
    'Proton Mail',
    ['protonmail.ch', 'proton.me'],
    '_spf.protonmail.ch',
    'Proton Mail under Settings > Domain names',
  ),
  // https://support.apple.com/en-us/102374
  own(
    'iCloud Mail',
    ['mail.me.com'],
    'icloud.com',
    'the iCloud settings under Custom Email Domain',
  ),
  // https://yandex.com/support/yandex-360/business/admin/en/security-service/spf-and-dkim
  own(
    'Yandex 360',
    ['yandex.com', 'yandex.ru'],
    '_spf.yandex.net',
    'Yandex 360 under Email > DKIM signatures',
  ),
  // https://help.ovhcloud.com/csm/en-dns-spf-record
  own('OVHcloud', ['ovh.net'], 'mx.ovh.com', 'the OVHcloud control panel under Emails > DKIM'),
  // https://docs.gandi.net/en/domain_names/faq/record_types/spf_record.html
  own('Gandi', ['gandi.net'], '_mailcust.gandi.net', 'the Gandi DNS records of the domain'),
  // https://www.godaddy.com/help/add-an-spf-record-19218
  own('GoDaddy', ['secureserver.net'], 'secureserver.net', 'the email settings of GoDaddy'),
  // https://www.migadu.com/guides/dns/
  own('Migadu', ['migadu.com'], 'spf.migadu.com', 'Migadu under DNS Configuration'),
  // https://www.mailgun.com/blog/deliverability/domain-verification-your-guide/
  own(
    'Mailgun',
    ['mailgun.org'],
    'mailgun.org',
    'Mailgun under Sending > Domain settings > DNS records',
  ),
  // https://docs.aws.amazon.com/ses/latest/dg/mail-from.html
  foreign(
    'Amazon SES',
    ['amazonaws.com'],
    'amazonses.com',
    'the SES console under Identities > Authentication',
  ),
  // https://postmarkapp.com/support/article/1046
  foreign(
    'Postmark',
    ['postmarkapp.com'],
    'pm.mtasv.net',
    'Postmark under Sender Signatures > DNS settings',
  ),
  // https://www.twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-domain-authentication
  foreign(
    'SendGrid',
    ['sendgrid.net'],
    'sendgrid.net',
    'SendGrid under Settings > Sender Authentication',
  ),
  // https://help.brevo.com/hc/en-us/articles/12163873383186
  foreign(
    'Brevo',
    ['brevo.com', 'sendinblue.com'],
    'brevo.com',
    'Brevo under Senders, Domains & Dedicated IPs',
  ),
  // https://documentation.mailjet.com/hc/en-us/articles/360042412734
  foreign(
    'Mailjet',
    ['mailjet.com'],
    'bnc3.mailjet.com',
    'Mailjet under Sender domains & addresses',
  ),
  // https://resend.com/docs/dashboard/domains/introduction
  foreign('Resend', ['resend.com'], 'amazonses.com', 'Resend under Domains'),
];

function own(name: string, hosts: readonly string[], include: string, dkimAt: string) {
  return { name, hosts, include, envelope: null, dkimAt };
}

function foreign(name: string, hosts: readonly string[], envelope: string, dkimAt: string) {
  return { name, hosts, include: null, envelope, dkimAt };
}

/** The provider of an SMTP host; null if unknown. */
export function providerOf(smtpHost: string): ProviderRecords | null {
  const host = smtpHost.toLowerCase();
  const found = PROVIDERS.find(({ hosts }) =>
    hosts.some((end) => host === end || host.endsWith(`.${end}`)),
  );
  return found ?? null;
}
