import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOutboundGuard, type ResolveHost } from '#src/platform/outbound-guard.ts';
import { vetEndpointUrl } from '#src/webhooks/vet-endpoint-url.ts';
import {
  FORBIDDEN_HOSTS,
  FORBIDDEN_NAMES,
  PUBLIC_ADDRESS as PUBLIC,
} from '#test/support/forbidden-hosts.ts';

const NAMES: Record<string, string[]> = {
  ...Object.fromEntries(FORBIDDEN_NAMES.map(({ name, addresses }) => [name, addresses])),
  'hooks.example.com': [PUBLIC],
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
    ...FORBIDDEN_HOSTS.map(({ host }) => `https://${host}/`),
    'https://10.0.0.1:8443/hook',
    'https://169.254.169.254/latest/meta-data/',
  ])('%s is refused', async (url) => {
    expect(await refusalOf(url)).toContain('cannot be reached from here');
  });

  it('is refused without revealing what an internal name resolves to', async () => {
    const said = await Promise.all(
      FORBIDDEN_NAMES.map(async ({ name }) =>
        (await refusalOf(`https://${name}/`)).replace(name, 'HOST'),
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
    ['ftp://hooks.example.com/', 'starts with https://'],
    ['file:///etc/passwd', 'starts with https://'],
    ['javascript:alert(1)', 'starts with https://'],
    ['hooks.example.com', 'starts with https://'],
    ['https:hooks.example.com', 'starts with https://'],
    ['https:/\\hooks.example.com', 'starts with https://'],
    ['https://hooks.example.com\\@10.0.0.1/', 'starts with https://'],
    ['', 'starts with https://'],
    [' https://hooks.example.com/', 'starts with https://'],
    ['https://hooks.exa\nmple.com/', 'starts with https://'],
    ['https://hooks.example.com/a b', 'starts with https://'],
    ['https://hooks.example.com/\0', 'starts with https://'],
    ['https://hooks.example.com:99999/', 'is not a URL'],
    ['https://[::1/', 'is not a URL'],
    ['https://?q', 'is not a URL'],
    ['http://nowhere.example.com/', 'Use https://'],
    ['https:///hook', 'starts with https://'],
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
  ])('%s is stored as %s', async (url, saved) => {
    expect(await vet(url)).toBe(saved);
  });

  it('is accepted for now when its hostname does not resolve', async () => {
    expect(await vet('https://nowhere.example.com/')).toBe('https://nowhere.example.com/');
  });

  it('waits at most 5 s for its hostname to resolve', async () => {
    vi.useFakeTimers();
    const silent = createOutboundGuard({ allowCidrs: [], resolve: () => new Promise(() => {}) });
    const vetted = vetEndpointUrl(silent, 'https://slow.example.com/', never);
    const outcome = expect(vetted).resolves.toBe('https://slow.example.com/');
    await vi.advanceTimersByTimeAsync(5_000);
    await outcome;
  });

  it('is not awaited after the client has disconnected', async () => {
    const silent = createOutboundGuard({ allowCidrs: [], resolve: () => new Promise(() => {}) });
    const gone = AbortSignal.abort(new Error('The client has gone away.'));
    await expect(vetEndpointUrl(silent, 'https://slow.example.com/', gone)).rejects.toThrow(
      'gone away',
    );
  });

  it('is not blamed for an internal failure', async () => {
    const broken = createOutboundGuard({
      allowCidrs: [],
      resolve: () => Promise.reject(new Error('out of file descriptors')),
    });
    await expect(vetEndpointUrl(broken, 'https://x.example.com/', never)).rejects.toThrow(
      'out of file descriptors',
    );
  });
});
