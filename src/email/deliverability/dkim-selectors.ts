/** Common selectors of administrators and large providers. */
const USUAL: readonly string[] = [
  'default',
  'google',
  'selector1',
  'selector2',
  's1',
  's2',
  'k1',
  'k2',
  'mail',
  'dkim',
  'smtp',
  'key1',
  'fm1',
  'zoho',
  'mxvault',
  'protonmail',
  'x',
];

/** Selectors by the suffix of the provider's host name. */
const BY_PROVIDER: readonly { host: string; selectors: readonly string[] }[] = [
  { host: 'gmail.com', selectors: ['google'] },
  { host: 'office365.com', selectors: ['selector1', 'selector2'] },
  { host: 'outlook.com', selectors: ['selector1', 'selector2'] },
  { host: 'fastmail.com', selectors: ['fm1', 'fm2', 'fm3', 'mesmtp'] },
  { host: 'messagingengine.com', selectors: ['fm1', 'fm2', 'fm3', 'mesmtp'] },
  { host: 'zoho.com', selectors: ['zoho', 'zmail'] },
  { host: 'zoho.eu', selectors: ['zoho', 'zmail'] },
  { host: 'protonmail.ch', selectors: ['protonmail', 'protonmail2', 'protonmail3'] },
  { host: 'mail.me.com', selectors: ['sig1'] },
  { host: 'yandex.ru', selectors: ['mail'] },
  { host: 'mailgun.org', selectors: ['mailo', 'pic', 'mg', 'krs', 'smtp', 'mta'] },
  { host: 'sendgrid.net', selectors: ['s1', 's2', 'm1'] },
  { host: 'mailjet.com', selectors: ['mailjet'] },
  { host: 'mandrillapp.com', selectors: ['mandrill', 'mte1', 'mte2'] },
  { host: 'brevo.com', selectors: ['brevo1', 'brevo2', 'mail'] },
  { host: 'resend.com', selectors: ['resend'] },
  { host: 'sparkpostmail.com', selectors: ['scph0', 'scph1'] },
  { host: 'ovh.net', selectors: ['ovhmo1', 'ovhex1'] },
  { host: 'ionos.com', selectors: ['s1-ionos', 's2-ionos', 's42582890'] },
  { host: 'ionos.de', selectors: ['s1-ionos', 's2-ionos', 's42582890'] },
];

/** Providers whose selectors are random or contain a date. */
const UNGUESSABLE: readonly string[] = ['amazonaws.com', 'postmarkapp.com'];

/** Selectors to try for mail sent through this host; null when they cannot be guessed. */
export function dkimSelectors(smtpHost: string): readonly string[] | null {
  const host = smtpHost.toLowerCase();
  const endsWith = (end: string): boolean => host === end || host.endsWith(`.${end}`);
  if (UNGUESSABLE.some(endsWith)) return null;
  const special = BY_PROVIDER.filter((provider) => endsWith(provider.host));
  return [...new Set([...special.flatMap(({ selectors }) => selectors), ...USUAL])];
}
