import { expect, test } from 'vitest';
import { checkSender, type Sender } from '#src/email/deliverability/check-sender.ts';
import { senderDomainMessageId, verificationMessage } from '#src/email/sender-message.ts';
import type { DnsClient } from '#src/platform/dns.ts';

/** TXT records by name; `null` stands for a name server that does not answer. */
function dnsOf(zone: Record<string, string[] | null>, asked: string[] = []): DnsClient {
  const none = async () => ({ kind: 'none' }) as const;
  return {
    mx: none,
    addresses: none,
    async txt(name) {
      asked.push(name);
      const records = zone[name];
      if (records === null) return { kind: 'unknown' };
      return records === undefined ? { kind: 'none' } : { kind: 'found', records };
    },
  };
}

const ACCOUNT = {
  email: 'ada@acme.example',
  smtpUser: 'ada@acme.example',
  smtpHost: 'smtp.acme.example',
};
const signal = new AbortController().signal;
const GOOD = {
  'acme.example': ['v=spf1 include:_spf.mail.example -all', 'site-verification=1'],
  '_spf.mail.example': ['v=spf1 ip4:192.0.2.0/24 ~all'],
  's1._domainkey.acme.example': ['v=DKIM1; k=rsa; p=MIGf'],
  '_dmarc.acme.example': ['v=DMARC1; p=quarantine; rua=mailto:d@acme.example'],
};
const adviseSender = async (
  dns: DnsClient,
  sender: Omit<Sender, 'isProviders'>,
  stop: AbortSignal,
): Promise<string[]> => {
  const isProviders = sender.email.endsWith('@gmail.com');
  return (await checkSender(dns, { ...sender, isProviders }, stop)).warnings;
};
const adviceFor = (
  changes: Record<string, string[] | null | undefined>,
  account: Partial<typeof ACCOUNT> = {},
) => {
  const zone = Object.fromEntries(
    Object.entries({ ...GOOD, ...changes }).filter(([, records]) => records !== undefined),
  ) as Record<string, string[] | null>;
  return adviseSender(dnsOf(zone), { ...ACCOUNT, ...account }, signal);
};

test('a domain in order gets no advice', async () => {
  await expect(adviceFor({})).resolves.toEqual([]);
});

test.each([
  ['no SPF record', { 'acme.example': undefined }, /no SPF record.*v=spf1/],
  ['only other TXT records', { 'acme.example': ['v=spf10 x', 'spf'] }, /no SPF record/],
  ['two SPF records', { 'acme.example': ['v=spf1 -all', 'v=spf1 mx ~all'] }, /2 SPF records.*one/],
  ['+all', { 'acme.example': ['v=spf1 mx +all'] }, /\+all.*~all/],
  ['all without a qualifier', { 'acme.example': ['v=spf1 mx all'] }, /\+all/],
  ['no DMARC record', { '_dmarc.acme.example': undefined }, /no DMARC record.*_dmarc\.acme/],
  ['p=none', { '_dmarc.acme.example': ['v=DMARC1;p=none'] }, /p=none.*quarantine/],
  ['no DKIM key', { 's1._domainkey.acme.example': undefined }, /No DKIM key.*common selectors/],
  ['a revoked DKIM key', { 's1._domainkey.acme.example': ['v=DKIM1; p='] }, /No DKIM key/],
])('%s is reported with its remedy, and nothing else', async (_, changes, expected) => {
  const advice = await adviceFor(changes);
  expect(advice).toHaveLength(1);
  expect(advice[0]).toMatch(expected);
});

test('p=none for subdomains only causes no advice', async () => {
  const changes = { '_dmarc.acme.example': ['v=DMARC1; p=reject; sp=none'] };
  await expect(adviceFor(changes)).resolves.toEqual([]);
});

test('lookups are counted through included records', async () => {
  const nested = (count: number) => ({
    'acme.example': ['v=spf1 include:a.example redirect=b.example'],
    'a.example': [`v=spf1 ${'a:x.example ?mx '.repeat(2)} exists:%{i}.x.example -all`],
    'b.example': [`v=spf1 ip4:192.0.2.1 ${'ptr '.repeat(count)} ~all`],
  });
  await expect(adviceFor(nested(3))).resolves.toEqual([]);
  const [advice] = await adviceFor(nested(4));
  expect(advice).toMatch(/more than 10 DNS lookups/);
});

test('records that include each other or a thousand others are followed only up to the limit', async () => {
  const asked: string[] = [];
  const loop = { 'acme.example': ['v=spf1 include:acme.example -all'] };
  const zone = { ...GOOD, ...loop };
  const advice = await adviseSender(dnsOf(zone, asked), ACCOUNT, signal);
  expect(advice[0]).toMatch(/lookups/);
  expect(asked.filter((name) => name === 'acme.example').length).toBeLessThan(13);
  const wide = `v=spf1 ${Array.from({ length: 1_000 }, (_, i) => `include:${i}.example`).join(' ')}`;
  const askedWide: string[] = [];
  await adviseSender(dnsOf({ 'acme.example': [wide] }, askedWide), ACCOUNT, signal);
  expect(askedWide.length).toBeLessThan(50);
});

test('the record of the organizational domain applies to a subdomain', async () => {
  const changes = {
    'news.acme.example': ['v=spf1 -all'],
    's1._domainkey.news.acme.example': ['p=x'],
  };
  const account = { email: 'ada@news.acme.example' };
  await expect(adviceFor(changes, account)).resolves.toEqual([]);
});

test('unresponsive name servers cause one line and no guesses', async () => {
  const silent = Object.fromEntries(Object.keys(GOOD).map((name) => [name, null]));
  const advice = await adviceFor(silent);
  expect(advice).toHaveLength(1);
  expect(advice[0]).toMatch(/did not answer in time.*SPF, DKIM, DMARC/);
  const partly = await adviceFor({ '_dmarc.acme.example': null, 'acme.example': undefined });
  expect(partly).toHaveLength(2);
  expect(partly.join(' ')).toMatch(/no SPF record.*DMARC could not be checked/);
});

test('a user of another domain is reported, but a subdomain or a bare name is not', async () => {
  const [advice] = await adviceFor({}, { smtpUser: 'ada@mail.example' });
  expect(advice).toMatch(/sends as acme\.example.*user of mail\.example/);
  await expect(adviceFor({}, { smtpUser: 'ada@eu.acme.example' })).resolves.toEqual([]);
  await expect(adviceFor({}, { smtpUser: 'apikey' })).resolves.toEqual([]);
});

test('the owner of a mailbox at a provider is not told to change its DNS', async () => {
  const asked: string[] = [];
  const account = { email: 'ada@gmail.com', smtpUser: 'ada@gmail.com', smtpHost: 'smtp.gmail.com' };
  await expect(adviseSender(dnsOf({}, asked), account, signal)).resolves.toEqual([]);
  expect(asked).toEqual([]);
  const other = { ...account, smtpUser: 'ada@acme.example' };
  await expect(adviseSender(dnsOf({}), other, signal)).resolves.toHaveLength(1);
});

test('DKIM keys are not guessed for a provider that names them randomly', async () => {
  const changes = { 's1._domainkey.acme.example': undefined };
  const account = { smtpHost: 'email-smtp.eu-west-1.amazonaws.com' };
  await expect(adviceFor(changes, account)).resolves.toEqual([]);
});

test('an abort ends the advice with its reason', async () => {
  const controller = new AbortController();
  const dns = { ...dnsOf({}), txt: () => new Promise<never>(() => undefined) };
  const advice = adviseSender(dns, ACCOUNT, controller.signal);
  const reason = new Error('The worker stops.');
  controller.abort(reason);
  await expect(advice).rejects.toBe(reason);
});

test('the verification message contains token and requester, but no foreign links or markup', () => {
  const message = verificationMessage({
    email: 'ada@acme.example',
    token: 'tok_123',
    requestedBy: '<b>eve</b>\r\nBcc: x',
  });
  for (const body of [message.text, message.html]) {
    expect(body).toContain('tok_123');
    expect(body).toContain('ada@acme.example');
    expect(body).toMatch(/nothing for you to do/);
    expect(body).not.toMatch(/https?:|href/);
  }
  expect(message.text).toContain('<b>eve</b> Bcc: x');
  expect(message.html).toContain('&lt;b&gt;eve&lt;/b&gt;');
  expect(message.subject).toContain('ada@acme.example');
});

test('a Message-ID uses the domain of the sender, in ASCII, and is stable', () => {
  expect(senderDomainMessageId('em_1', 'ada@acme.example')).toBe('<em_1@acme.example>');
  expect(senderDomainMessageId('em_1', 'ada@bücher.example')).toBe('<em_1@xn--bcher-kva.example>');
  expect(senderDomainMessageId('x>\r\nBcc: y', 'ada@a b')).toBe('<xBccy@localhost>');
});
