import { describe, expect, it } from 'vitest';
import { checkSender } from '#src/email/deliverability/check-sender.ts';
import { deliverabilitySchema } from '#src/email/deliverability/deliverability.ts';
import type { DnsClient } from '#src/platform/dns.ts';

interface Zone {
  txt?: Record<string, string[]>;
  mx?: Record<string, string[]>;
  addresses?: Record<string, string[]>;
}

function dnsOf({ txt = {}, mx = {}, addresses = {} }: Zone): DnsClient {
  const answer = <T>(records: T[] | undefined) =>
    Promise.resolve(records ? ({ kind: 'found', records } as const) : ({ kind: 'none' } as const));
  return {
    txt: (name) => answer(txt[name]),
    mx: (name) => answer(mx[name]?.map((exchange) => ({ exchange, priority: 10 }))),
    addresses: (name) => answer(addresses[name]),
  };
}

const DKIM = { 's1._domainkey.acme.example': ['v=DKIM1; p=MIGf'] };
const DMARC = { '_dmarc.acme.example': ['v=DMARC1; p=reject'] };

async function check(zone: Zone, smtpHost: string = 'smtp.acme.example', domain = 'acme.example') {
  const sender = { email: `ada@${domain}`, smtpUser: 'ada', smtpHost, isProviders: false };
  const { deliverability, warnings } = await checkSender(
    dnsOf(zone),
    sender,
    new AbortController().signal,
  );
  deliverabilitySchema.omit({ checked_at: true }).parse(deliverability);
  if (deliverability === null) throw new Error('The sender has a domain.');
  return { ...deliverability, warnings };
}

const spfOf = async (records: string[] | undefined, host?: string, zone: Zone = {}) =>
  (
    await check(
      { ...zone, txt: { ...(records && { 'acme.example': records }), ...zone.txt } },
      host,
    )
  ).spf;

describe('the SPF record to publish', () => {
  it('names the provider of the server, or else the server itself', async () => {
    const name = 'acme.example';
    expect(await spfOf(undefined, 'smtp.gmail.com')).toMatchObject({
      state: 'fail',
      record: null,
      publish: { name, type: 'TXT', value: 'v=spf1 include:_spf.google.com ~all' },
    });
    expect((await spfOf(undefined)).publish?.value).toBe('v=spf1 a:smtp.acme.example ~all');
  });

  it('is the current one with the provider added before its end, never a second one', async () => {
    const spf = await spfOf(['v=spf1 ip4:192.0.2.1 -all'], 'smtp.office365.com');
    expect(spf).toMatchObject({ state: 'fail', record: 'v=spf1 ip4:192.0.2.1 -all' });
    expect(spf.publish?.value).toBe('v=spf1 ip4:192.0.2.1 include:spf.protection.outlook.com -all');
    expect(spf.advice[0]).toMatch(/does not name Microsoft 365.*include:spf\.protection/);
  });

  it('merges several, and restricts one that ends with +all', async () => {
    const both = await spfOf(['v=spf1 mx ~all', 'v=spf1 mx ip4:192.0.2.1 -all'], 'smtp.gmail.com');
    expect(both.publish?.value).toBe('v=spf1 mx ip4:192.0.2.1 include:_spf.google.com -all');
    const open = await spfOf(['v=spf1 include:_spf.google.com +all'], 'smtp.gmail.com');
    expect(open.publish?.value).toBe('v=spf1 include:_spf.google.com ~all');
  });

  it('keeps a redirect at its end', async () => {
    const spf = await spfOf(['v=spf1 redirect=x.example'], 'smtp.gmail.com', {
      txt: { 'x.example': ['v=spf1 -all'] },
    });
    expect(spf.publish?.value).toBe('v=spf1 include:_spf.google.com redirect=x.example');
  });

  it('is not needed when an include names the provider, or the provider uses its own envelope address', async () => {
    const nested = { txt: { 'x.example': ['v=spf1 include:_spf.google.com -all'] } };
    const spf = await spfOf(['v=spf1 include:x.example -all'], 'smtp.gmail.com', nested);
    expect(spf).toMatchObject({ state: 'pass', publish: null, advice: [] });
    const ses = await spfOf(['v=spf1 mx -all'], 'email-smtp.eu-west-1.amazonaws.com');
    expect(ses.state).toBe('pass');
  });
});

describe('a self-hosted server', () => {
  const server = { addresses: { 'smtp.acme.example': ['192.0.2.7', '2001:db8::7'] } };

  it.each([
    ['its network', 'v=spf1 ip4:192.0.2.0/24 -all', {}],
    ['its IPv6 network', 'v=spf1 ip6:2001:db8::/32 -all', {}],
    ['its name', 'v=spf1 a:smtp.acme.example -all', {}],
    ['the mail exchanger', 'v=spf1 mx -all', { mx: { 'acme.example': ['smtp.acme.example'] } }],
    ['an include, behind which it may stand', 'v=spf1 include:x.example -all', {}],
  ] satisfies [string, string, Zone][])('is covered by %s', async (_, record, zone) => {
    expect((await spfOf([record], undefined, { ...server, ...zone })).state).toBe('pass');
  });

  it.each(['v=spf1 ip4:198.51.100.0/24 mx -all', 'v=spf1 ip4:nonsense/99 ip6:: -all'])(
    'is missing in "%s"',
    async (record) => {
      const spf = await spfOf([record], undefined, server);
      expect(spf.state).toBe('fail');
      expect(spf.publish?.value).toContain('a:smtp.acme.example -all');
    },
  );
});

describe('DMARC', () => {
  it('has a record to publish with a policy and an address for reports', async () => {
    expect((await check({})).dmarc.publish).toEqual({
      name: '_dmarc.acme.example',
      type: 'TXT',
      value: 'v=DMARC1; p=quarantine; rua=mailto:ada@acme.example',
    });
  });

  it('of a subdomain is judged by sp of the organization', async () => {
    const txt = { '_dmarc.acme.example': ['v=DMARC1; p=reject; sp=none'] };
    const { dmarc } = await check({ txt }, undefined, 'news.acme.example');
    expect(dmarc).toMatchObject({
      state: 'warn',
      publish: { name: '_dmarc.acme.example', value: 'v=DMARC1; p=reject; sp=quarantine' },
    });
  });
});

describe('alignment', () => {
  const spf = { 'acme.example': ['v=spf1 include:_spf.google.com -all'] };

  it('is explained when both pass, and when only one does', async () => {
    const both = await check({ txt: { ...spf, ...DKIM, ...DMARC } }, 'smtp.gmail.com');
    expect(both.alignment).toMatchObject({ spf: 'aligned', dkim: 'aligned' });
    expect(both.warnings).toEqual([]);
    const one = await check({ txt: { ...spf, ...DMARC } }, 'smtp.gmail.com');
    expect(one.alignment).toMatchObject({ spf: 'aligned', dkim: 'not_aligned' });
    expect(one.alignment.explanation).toMatch(/forwarded/);
    expect(one.dkim.advice[0]).toMatch(/Google Admin console/);
  });

  it('of SPF fails with a provider that uses its own envelope address', async () => {
    const { alignment } = await check({ txt: { ...spf, ...DKIM } }, 'smtp.sendgrid.net');
    expect(alignment).toMatchObject({ spf: 'not_aligned', dkim: 'aligned' });
    expect(alignment.explanation).toMatch(
      /SendGrid sends with an envelope address of sendgrid\.net/,
    );
  });

  it('is unknown when selectors cannot be guessed', async () => {
    const { alignment } = await check({ txt: spf }, 'smtp.postmarkapp.com');
    expect(alignment).toMatchObject({ spf: 'not_aligned', dkim: 'unknown' });
    expect(alignment.explanation).toMatch(/dkim=pass header\.d=acme\.example/);
  });
});

it('Fastmail’s key is given in full, because its name is derived from the domain', async () => {
  expect((await check({}, 'smtp.fastmail.com')).dkim.publish).toEqual({
    name: 'fm1._domainkey.acme.example',
    type: 'CNAME',
    value: 'fm1.acme.example.dkim.fmhosted.com',
  });
});
