import { expect, test } from 'vitest';
import type { WorkspaceId } from '#src/ids.ts';
import { paceKeyOf } from '#src/email/pace-key.ts';
import { listProviderLimits, providerLimitOf } from '#src/email/provider-limits.ts';

test.each([
  ['smtp.gmail.com', 'ada@gmail.com', 'Gmail'],
  ['SMTP.GMAIL.COM.', 'Ada@GoogleMail.com', 'Gmail'],
  ['smtp.gmail.com', 'ada@acme.example', 'Google Workspace'],
  ['smtp.office365.com', 'ada@acme.example', 'Microsoft 365'],
  ['smtp.office365.com', 'ada@hotmail.co.uk', 'Outlook.com'],
  ['smtp-mail.outlook.com', 'ada@outlook.com', 'Outlook.com'],
  ['smtp.mail.yahoo.com', 'ada@yahoo.com', 'Yahoo'],
  ['smtp.mail.me.com', 'ada@icloud.com', 'iCloud Mail'],
  ['smtppro.zoho.eu', 'ada@acme.example', 'Zoho Mail'],
  ['smtp.yandex.com', 'ada@yandex.com', 'Yandex Mail'],
  ['smtp.ionos.de', 'ada@acme.example', 'IONOS'],
  ['smtpout.secureserver.net', 'ada@acme.example', 'GoDaddy'],
  ['mail.infomaniak.com', 'ada@acme.example', 'Infomaniak'],
  ['email-smtp.eu-west-1.amazonaws.com', 'AKIAEXAMPLE', 'Amazon SES'],
])('the limits of %s for %s are those of %s', (host, user, provider) => {
  expect(providerLimitOf({ host, user })?.provider).toBe(provider);
});

test.each([
  ['smtp.acme.example', 'ada@gmail.com'],
  ['smtp.gmail.com.evil.example', 'ada@gmail.com'],
  ['evilsmtp.gmail.com', 'ada@gmail.com'],
  ['smtp.sendgrid.net', 'apikey'],
  ['', ''],
])('none are known of %s for %s', (host, user) => {
  expect(providerLimitOf({ host, user })).toBeNull();
});

test('every provider has a positive limit and a source', () => {
  for (const { provider, source, perMinute, perHour, perDay } of listProviderLimits()) {
    const figures = [perMinute, perHour, perDay].filter((figure) => figure !== null);
    expect([provider, figures.length]).not.toEqual([provider, 0]);
    expect(figures.filter((figure) => !Number.isInteger(figure) || figure <= 0)).toEqual([]);
    expect(new URL(source).protocol).toBe('https:');
  }
});

const [ours, theirs] = ['w1', 'w2'] as unknown as [WorkspaceId, WorkspaceId]; // brands of a test
const key = (workspace_id: WorkspaceId, smtp_host: string, smtp_user: string): string =>
  paceKeyOf({ workspace_id, smtp_host, smtp_user });

test('an SMTP user has one pace across workspaces, letter case and host names of the provider', () => {
  const one = key(ours, 'smtp.office365.com', 'ada@acme.example');
  expect(key(theirs, 'SMTP.Office365.com', 'Ada@Acme.example')).toBe(one);
  // Two host names of one provider.
  expect(key(theirs, 'outlook.office365.com', 'ada@acme.example')).toBe(one);
  expect(key(ours, 'smtp.office365.com', 'bob@acme.example')).not.toBe(one);
  expect(key(ours, 'smtp.acme.example', 'ada@acme.example')).not.toBe(one);
  expect(one).not.toContain('ada');
});

test('a user that is not an address, such as SendGrid’s "apikey", has a pace per workspace', () => {
  const one = key(ours, 'smtp.sendgrid.net', 'apikey');
  expect(key(theirs, 'smtp.sendgrid.net', 'apikey')).not.toBe(one);
  expect(key(ours, 'smtp.sendgrid.net', 'apikey')).toBe(one);
});
