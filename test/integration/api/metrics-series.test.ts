import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '#src/api/routes/index.ts';
import { type Operation, operationsOf } from '#test/support/openapi-operations.ts';
import { send } from '#test/support/raw-http.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let operations: Operation[];

beforeAll(async () => {
  millrace = await startTestMillrace({ LOG_LEVEL: 'silent', DEFAULT_PLAN: 'Enterprise' });
  operations = operationsOf((await millrace.call('GET', '/openapi.json')).body);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Methods that Node's parser accepts and no route has. */
const STRANGE_METHODS = ['PROPFIND', 'M-SEARCH', 'LINK', 'PURGE', 'TRACE'];

/** `sample` with `word` in place of every string, or only of those that accept any text. */
function withWord(sample: unknown, word: string, which: 'all' | 'free'): unknown {
  const text = JSON.stringify(sample, (_key, value: unknown) =>
    typeof value === 'string' && (which === 'all' || ['file', 'anything'].includes(value))
      ? word
      : value,
  );
  return JSON.parse(text);
}

/** Calls every route, the dashboard and unknown paths, with the word wherever a client may write text. */
async function sendEverywhere(word: string): Promise<void> {
  const key = millrace.adminKey;
  const authorization = ['Authorization', `Bearer ${key}`];
  for (const { method, path, queryNames, sample } of operations) {
    const query = queryNames.map((name) => `${name}=${word}`).join('&');
    const address = `${path.replaceAll(/\{\w+\}/g, word)}?${query}`;
    for (const which of ['all', 'free'] as const) {
      const body = sample === undefined ? undefined : withWord(sample, word, which);
      await millrace.call(method, address, body, { headers: { 'X-Request-Id': word } });
    }
  }
  const document = {
    id: word,
    source: word,
    semantic_identifier: word,
    sections: [{ text: word }],
  };
  await millrace.call('POST', '/service-api/ingestion', { document });
  await millrace.call('POST', '/manage/admin/workspaces', { name: word, plan_tier: 'Free' });
  const addresses = [
    `/${word}`,
    `/api/${word}/${word}`,
    `/metrics/${word}`,
    `/admin/queues/api/queues/${word}/pause`,
    `/admin/queues/api/queues/document-index/${word}`,
    `/admin/queues/static/${word}.js`,
    `/docs/assets/${word}`,
  ];
  for (const path of addresses) {
    for (const method of [...METHODS, ...STRANGE_METHODS]) {
      const headers = ['Host', `${word}.example`, 'User-Agent', word, 'Origin', word];
      await send(millrace.url, { method, path, body: null, headers: headers.slice(2) });
      await send(millrace.url, { method, path, body: null, headers: authorization });
      if (method === 'GET') await millrace.call(method, path, undefined, { key: word });
    }
  }
}

/** Each line of the metrics without its value, that is, each series. */
async function seriesOf(): Promise<string[]> {
  const { text } = await millrace.call('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.replace(/ \S+$/, ''));
}

const ofRequests = (series: readonly string[]) =>
  series.filter((one) => one.startsWith('millrace_http_')).toSorted();
/** The second round finds existing things, so some statuses differ. */
const withoutStatus = (series: readonly string[]) => [
  ...new Set(ofRequests(series).map((one) => one.replace(/,status="\d+"/, ''))),
];
const labelled = (series: readonly string[], label: string) =>
  new Set(series.flatMap((one) => new RegExp(`[{,]${label}="([^"]*)"`).exec(one)?.[1] ?? []));

it('clients cannot create new metric series with the words they send', async () => {
  await sendEverywhere('zebrafinch');
  await millrace.settled();
  const before = await seriesOf();
  expect(withoutStatus(before).length).toBeGreaterThan(operations.length);
  await sendEverywhere('quokkarium');
  await millrace.settled();
  const after = await seriesOf();
  expect(withoutStatus(after)).toEqual(withoutStatus(before));
  expect(after.join('\n')).not.toMatch(/zebrafinch|quokkarium/i);
});

it('request metrics are labelled only with known routes, methods and statuses', async () => {
  const series = ofRequests(await seriesOf());
  const routes = new Set([
    ...ROUTES.map(({ path }) => path),
    '/openapi.json',
    '/docs',
    '/docs/assets/{file}',
    '/admin/queues',
    'unmatched',
    'preflight',
  ]);
  expect([...labelled(series, 'route')].filter((route) => !routes.has(route))).toEqual([]);
  expect([...labelled(series, 'method')].toSorted()).toEqual([...METHODS, 'other'].toSorted());
  for (const status of labelled(series, 'status')) expect(status).toMatch(/^[2345]\d\d$/);
});
