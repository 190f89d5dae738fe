import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { openChromiumRenderer } from '#src/connectors/kinds/web/chromium-renderer.ts';
import { web } from '#src/connectors/kinds/web/web.ts';
import { createHttpClient, type HttpClient } from '#src/platform/http.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { startFakeSource } from '#test/support/fake-source.ts';

const CHROMIUM = '/usr/bin/chromium';
const isInstalled = existsSync(CHROMIUM);
const never = new AbortController().signal;
const log = pino({ level: 'silent' });

function openRenderer(executablePath = CHROMIUM) {
  const http = createHttpClient({ allowCidrs: ['127.0.0.0/8'], proxyUrl: null });
  return openChromiumRenderer({ executablePath, http, log });
}

const APP_SCRIPT = `
  const show = (text) => { document.body.append(Object.assign(document.createElement('p'), { textContent: text })); };
  const get = (url, options) => fetch(url, options).then((answer) => answer.text()).catch(() => 'blocked');
  get('text.txt').then(show);
  get('http://10.0.0.1/').then((text) => show('private: ' + text));
  get('/sent', { method: 'POST', body: 'x' }).then((text) => show('post: ' + text));
  new WebSocket('SOCKET').onclose = () => show('socket: closed');
`;

test('a missing browser is named in the error', async () => {
  await using site = await startFakeSource(() => ({ body: '' }));
  await using renderer = openRenderer('/nowhere/chromium');
  await expect(
    renderer.render(site.url, { scroll: false, signal: never, owner: 'one' }),
  ).rejects.toThrow('Chromium did not start from /nowhere/chromium.');
});

test('one owner never has all pages, however many it asks for', async () => {
  const asked: string[] = [];
  const answered = Promise.withResolvers<void>();
  const send = async ({ url }: { url: string }) => {
    asked.push(url);
    if (url.includes('large')) await answered.promise;
    return { status: 404, url };
  };
  const http = { send } as unknown as HttpClient; // what a page that is not there needs
  await using renderer = openChromiumRenderer({ executablePath: '/nowhere', http, log });
  const render = (owner: string) =>
    renderer.render(`https://${owner}.example/`, { scroll: false, signal: never, owner });
  const crowd = Array.from({ length: 5 }, () => render('large'));
  expect(await render('small')).toMatchObject({ status: 404 });
  expect(await render('small')).toMatchObject({ status: 404 });
  expect(asked.filter((url) => url.includes('large'))).toHaveLength(2);
  answered.resolve();
  expect(await Promise.all(crowd)).toHaveLength(5);
});

describe.skipIf(!isInstalled)(`with Chromium (needs ${CHROMIUM})`, () => {
  test('scripts run, and everything they fetch goes through the guarded HTTP client', async () => {
    await using other = await startFakeSource(() => ({ body: 'never' }));
    await using site = await startFakeSource(({ url }) => {
      switch (url.pathname) {
        case '/old':
          return { status: 302, headers: { location: '/app/' } };
        case '/app/':
          return {
            headers: { 'content-type': 'text/html' },
            body: `<!doctype html><title>App</title><body><script src="main.js"></script><img src="/photo.png">`,
          };
        case '/app/main.js':
          return {
            headers: { 'content-type': 'text/javascript' },
            body: APP_SCRIPT.replace('SOCKET', `ws://${new URL(other.url).host}/`),
          };
        case '/app/text.txt':
          return { body: 'Fetched text' };
        default:
          return { status: 404 };
      }
    });
    await using renderer = openRenderer();
    const page = await renderer.render(`${site.url}/old`, {
      scroll: true,
      signal: never,
      owner: 'one',
    });
    expect(page).toMatchObject({ status: 200, url: `${site.url}/app/` });
    expect(page.html).toContain('Fetched text');
    expect(page.html).toContain('private: blocked');
    expect(page.html).toContain('post: blocked');
    expect(page.html).toContain('socket: closed');
    expect(other.requests).toEqual([]);
    const asked = site.requests.map(({ method, url }) => `${method} ${url.pathname}`);
    expect(asked.toSorted()).toEqual([
      'GET /app/',
      'GET /app/main.js',
      'GET /app/text.txt',
      'GET /old',
    ]);
  });

  test('an aborted run closes its page, and the next page gets a browser again', async () => {
    await using site = await startFakeSource(({ url }) =>
      url.pathname === '/loop'
        ? { headers: { 'content-type': 'text/html' }, body: '<script>for (;;) {}</script>' }
        : { headers: { 'content-type': 'text/html' }, body: '<p>Fine' },
    );
    await using renderer = openRenderer();
    await renderer.render(`${site.url}/`, { scroll: false, signal: never, owner: 'one' });
    const stop = new AbortController();
    const rendering = renderer.render(`${site.url}/loop`, {
      scroll: false,
      signal: stop.signal,
      owner: 'one',
    });
    const refused = expect(rendering).rejects.toThrow('stopped');
    await expect.poll(() => site.requests.some(({ url }) => url.pathname === '/loop')).toBe(true);
    stop.abort(new Error('stopped'));
    await refused;
    expect(
      (await renderer.render(`${site.url}/`, { scroll: false, signal: never, owner: 'one' })).html,
    ).toContain('Fine');
  });

  test('the web connector reads pages that are empty without scripts', async () => {
    await using site = await startFakeSource(({ url }) =>
      url.pathname === '/'
        ? {
            headers: { 'content-type': 'text/html' },
            body: `<title>App</title><div id="root"></div><script>root.innerHTML = '<main><h1>Hello</h1><p>Made by a script</p></main>'</script>`,
          }
        : { status: 404 },
    );
    await using renderer = openRenderer();
    await using plain = openTestContext();
    await using rendering = openTestContext({
      renderer: { render: (url, options) => renderer.render(url, { ...options, owner: 'one' }) },
    });
    const poll = (context: typeof plain, render_javascript: boolean) => {
      const settings = web.settings.parse({
        base_url: site.url,
        web_connector_type: 'single',
        render_javascript,
      });
      return collectPages(web.poll(settings, {}, null, context.context), context);
    };
    expect((await poll(plain, false))[0]?.skipped).toMatchObject([
      { reason: 'no text without JavaScript' },
    ]);
    const [page] = await poll(rendering, true);
    expect(page?.documents[0]?.sections[0]?.text).toBe('# Hello\n\nMade by a script');
    const [again] = await poll(rendering, true);
    expect(again?.unchanged).toEqual([`${site.url}/`]);
  });
});
