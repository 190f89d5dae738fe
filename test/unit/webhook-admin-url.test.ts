import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOutboundGuard, type ResolveHost } from '#src/platform/outbound-guard.ts';
import { vetEndpointUrl } from '#src/webhooks/vet-endpoint-url.ts';

const PUBLIC = '93.184.216.34';
const NAMES: Record<string, string[]> = {
  'hooks.example.com': [PUBLIC],
  'metadata.internal': ['169.254.169.254'],
  'database.internal': ['10.1.2.3'],
  'mixed.example.com': [PUBLIC, '10.1.2.3'],
  'opened.internal': ['192.168.7.7'],
  'half-opened.internal': ['192.168.7.7', PUBLIC],
};

const resolve: ResolveHost = (host) => {
  const found = NAMES[host];
  if (found) return Promise.resolve(found.map((address) => ({ address, family: 4 })));
  const unknown = new Error(`getaddrinfo ENOTFOUND ${host}`);
  return Promise.reject(Object.assign(unknown, { code: 'ENOTFOUND', syscall: 'getaddrinfo' }));
};

const guard = createOutboundGuard({ allowCidrs: ['192.168.7.0/24'], resolve });
const never = new AbortController().signal;
const vet = (url: string) => vetEndpointUrl(guard, url, never);
const refusalOf = async (url: string): Promise<string> => {
  try {
    return `accepted as ${await vet(url)}`;
  } catch (error) {
    expect(error).toMatchObject({ name: 'Problem', code: 'BAD_REQUEST' });
    return String(error);
  }
};

afterEach(() => vi.useRealTimers());

describe('the URL of a webhook endpoint', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://127.0.0.1./',
    'https://0/',
    'https://10.0.0.1:8443/hook',
    'https://172.31.255.254/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://168.63.129.16/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://metadata.internal/',
    'https://database.internal/',
    'https://mixed.example.com/',
  ])('%s is refused', async (url) => {
    expect(await refusalOf(url)).toContain('may not be reached from here');
  });

  it('is refused in words that do not tell to what an internal name resolves', async () => {
    const said = await Promise.all(
      ['metadata.internal', 'database.internal', 'mixed.example.com'].map(async (host) =>
        (await refusalOf(`https://${host}/`)).replace(host, 'HOST'),
      ),
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).not.toMatch(/10\.1|169\.254|private|link-local|loopback/);
  });

  it.each([
    ['http://hooks.example.com/', 'Use https://'],
    [`http://${PUBLIC}/`, 'Use https://'],
    ['http://database.internal/', 'Use https://'],
    ['http://half-opened.internal/', 'Use https://'],
    ['https://user:secret@hooks.example.com/', 'user name'],
    ['https://user@hooks.example.com/', 'user name'],
    ['https://:@hooks.example.com/', 'user name'],
    ['https://@hooks.example.com/', 'user name'],
    ['https://hooks.example.com/#part', 'fragment'],
    ['https://hooks.example.com/#', 'fragment'],
    ['ftp://hooks.example.com/', 'begins with https://'],
    ['file:///etc/passwd', 'begins with https://'],
    ['javascript:alert(1)', 'begins with https://'],
    ['hooks.example.com', 'begins with https://'],
    ['https:hooks.example.com', 'begins with https://'],
    ['https:/\\hooks.example.com', 'begins with https://'],
    ['https://hooks.example.com\\@10.0.0.1/', 'begins with https://'],
    ['', 'begins with https://'],
    [' https://hooks.example.com/', 'begins with https://'],
    ['https://hooks.exa\nmple.com/', 'begins with https://'],
    ['https://hooks.example.com/a b', 'begins with https://'],
    ['https://hooks.example.com/\0', 'begins with https://'],
    ['https://hooks.example.com:99999/', 'is no URL'],
    ['https://[::1/', 'is no URL'],
    ['https://?q', 'is no URL'],
    ['http://nowhere.example.com/', 'Use https://'],
    ['https:///hook', 'begins with https://'],
    [`https://${PUBLIC}:22/`, 'port 22'],
    [`https://hooks.example.com/${'字'.repeat(600)}`, 'at most 2000 characters'],
  ])('%j is refused: %s', async (url, words) => {
    expect(await refusalOf(url)).toContain(words);
  });

  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['HTTPS://Hooks.Example.COM:8443/a?b=c@d', 'https://hooks.example.com:8443/a?b=c@d'],
    [`https://${PUBLIC}/`, `https://${PUBLIC}/`],
    ['https://opened.internal/', 'https://opened.internal/'],
    ['http://opened.internal:8080/hook', 'http://opened.internal:8080/hook'],
    ['http://192.168.7.9/', 'http://192.168.7.9/'],
  ])('%s is saved as %s', async (url, saved) => {
    expect(await vet(url)).toBe(saved);
  });

  it('is taken when its name does not resolve, for now', async () => {
    expect(await vet('https://nowhere.example.com/')).toBe('https://nowhere.example.com/');
  });

  it('waits 5 s for a name to resolve, and no longer', async () => {
    vi.useFakeTimers();
    const silent = createOutboundGuard({ allowCidrs: [], resolve: () => new Promise(() => {}) });
    const vetted = vetEndpointUrl(silent, 'https://slow.example.com/', never);
    const outcome = expect(vetted).resolves.toBe('https://slow.example.com/');
    await vi.advanceTimersByTimeAsync(5_000);
    await outcome;
  });

  it('is not waited for once the client has gone', async () => {
    const silent = createOutboundGuard({ allowCidrs: [], resolve: () => new Promise(() => {}) });
    const gone = AbortSignal.abort(new Error('The client has gone away.'));
    await expect(vetEndpointUrl(silent, 'https://slow.example.com/', gone)).rejects.toThrow(
      'gone away',
    );
  });

  it('that fails for a reason of ours is not called wrong', async () => {
    const broken = createOutboundGuard({
      allowCidrs: [],
      resolve: () => Promise.reject(new Error('out of file descriptors')),
    });
    await expect(vetEndpointUrl(broken, 'https://x.example.com/', never)).rejects.toThrow(
      'out of file descriptors',
    );
  });
});
