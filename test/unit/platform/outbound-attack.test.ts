import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { toMailDocument } from '#src/connectors/kinds/imap/mail-document.ts';
import { readError } from '#src/connectors/kinds/s3/s3-answers.ts';
import { s3Credential, s3Settings } from '#src/connectors/kinds/s3/s3-settings.ts';
import { splitMetadataLine, toTags } from '#src/connectors/kinds/file/file-metadata.ts';
import { channelFilter, SLACK_SETTINGS } from '#src/connectors/kinds/slack/slack-settings.ts';
import { readZipMetadata } from '#src/files/unpack-zip.ts';
import { parseHtmlTree, rawText } from '#src/files/html-tree.ts';
import { GiveUp } from '#src/platform/errors.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { type FakeAnswer, startFakeSource } from '#test/support/fake-source.ts';

const USER = 'ann@example.com';
const TOKEN = 'a-token/that+nobody=may see';

async function failureOf(
  headers: Record<string, string>,
  answer: FakeAnswer,
): Promise<{ message: string }> {
  const source = await startFakeSource(() => answer);
  const opened = openTestContext();
  onTestFinished(async () => {
    await opened[Symbol.asyncDispose]();
    await source[Symbol.asyncDispose]();
  });
  const call = opened.context.http.json({ url: source.url, headers }, z.object({ ok: z.string() }));
  return call.then(
    () => ({ message: 'no failure' }),
    (error: Error) => error,
  );
}

const basic = Buffer.from(`${USER}:${TOKEN}`).toString('base64');

test.each([
  ['unchanged', `Basic ${basic}`],
  ['without its scheme', basic],
  ['decoded', `${USER}:${TOKEN}`],
  ['as only the password', TOKEN],
  ['escaped for a URL', encodeURIComponent(TOKEN)],
])('a source that echoes a Basic credential %s is quoted without it', async (_, repeated) => {
  const { message } = await failureOf(
    { authorization: `Basic ${basic}` },
    { status: 403, body: { message: `I do not know ${repeated}, sorry.` } },
  );
  expect(message).toContain('I do not know [secret]');
  for (const secret of [basic, TOKEN, encodeURIComponent(TOKEN)]) {
    expect(message).not.toContain(secret);
  }
});

test('a content type that echoes the credential is quoted without it', async () => {
  const { message } = await failureOf(
    { 'private-token': 'glpat-0123456789' },
    { body: 'no JSON', headers: { 'content-type': 'text/plain; token=glpat-0123456789' } },
  );
  expect(message).toContain('other than JSON (text/plain; token=[secret])');
});

test('quoted words of a source are short, well-formed, and free of control characters', async () => {
  const long = `a\u0000b\u001b[31m${'x'.repeat(290)}${'\u{1F600}'.repeat(100)}`;
  const { message } = await failureOf({}, { status: 403, body: { message: long } });
  expect(message.length).toBeLessThan(400);
  expect(message.isWellFormed()).toBe(true);
  expect(message).not.toMatch(/\p{Cc}/u);
});

test.each(['evil.example/', 'a.evil.example', 'x@evil.example', '../x', 'a'.repeat(51), ''])(
  'a store that redirects a bucket to the region %j is refused, since regions become hostnames',
  (region) => {
    const answer = (header: string | null, body: string) => ({
      status: 301,
      url: 'https://bucket.example',
      headers: new Headers(header === null ? {} : { 'x-amz-bucket-region': header }),
      bytes: Buffer.from(body),
      isCut: false,
      text: () => body,
    });
    const xml = `<Error><Code>PermanentRedirect</Code><Region>${region}</Region></Error>`;
    expect(readError(answer(null, xml)).region).toBeNull();
    expect(readError(answer(region, 'no XML')).region).toBeNull();
  },
);

test.each([
  ['region_name', s3Settings, { bucket_type: 's3', bucket_name: 'b' }],
  ['account_id', s3Credential, { r2_access_key_id: 'i', r2_secret_access_key: 'k' }],
  ['namespace', s3Credential, { access_key_id: 'i', secret_access_key: 'k' }],
  ['region', s3Credential, { access_key_id: 'i', secret_access_key: 'k' }],
])('%s cannot direct the requests of a bucket to another host', (field, schema, rest) => {
  expect(schema.safeParse({ ...rest, [field]: 'eu-central-1' }).success).toBe(true);
  for (const value of ['evil.example/', 'evil.example#', 'a.evil.example', 'a@evil', 'a:1@b']) {
    const { error } = schema.safeParse({ ...rest, [field]: value });
    expect(error?.issues[0]?.path).toEqual([field]);
  }
});

test('a channel pattern with catastrophic backtracking is refused by name', () => {
  const filter = (pattern: string) =>
    channelFilter(SLACK_SETTINGS.parse({ channels: [pattern], channel_regex_enabled: true }));
  const channel = { id: 'C1', name: 'a'.repeat(80) };
  expect(() => filter('(a+)+b')(channel)).toThrow('The pattern "(a+)+b" takes too long');
  expect([filter('a+')(channel), filter('b.*')(channel)]).toEqual([true, false]);
});

test('a message consisting only of newlines is refused before it is parsed', async () => {
  const message = { id: 'a', link: 'b', arrivedAt: null, mailbox: 'INBOX' };
  const source = Buffer.from(`Subject: a\n\n${'\n'.repeat(5_000_000)}x`);
  const parse = async () => ({ title: '', sections: [], metadata: {} });
  await expect(toMailDocument({ ...message, source }, parse)).rejects.toThrow(
    'more than 400000 lines',
  );
});

test('file metadata may have keys such as __proto__, but no extreme nesting', () => {
  const line = (json: string) => splitMetadataLine(Buffer.from(`# ONYX_METADATA=${json}\ntext`));
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  expect(() => line(deep)).toThrow(GiveUp);
  expect(() => readZipMetadata('m.json', Buffer.from(`[{"filename":"a","x":${deep}}]`))).toThrow(
    'nested more than 100 levels deep',
  );
  const { keys } = line('{"__proto__":["x"],"constructor":{"prototype":{"y":1}}}') ?? {};
  const tags = toTags(keys ?? {});
  expect(Object.getPrototypeOf(tags)).toBe(Object.prototype);
  expect(Object.keys(tags)).toContain('constructor');
  expect('y' in {}).toBe(false);
  const described = readZipMetadata(
    'm.json',
    Buffer.from('[{"filename":"__proto__","id":"1"},{"filename":"../../etc/passwd"}]'),
  );
  expect([...described.keys()]).toEqual(['__proto__', 'etc/passwd']);
});

test('20 KB of tags that the HTML standard would expand to millions of elements are not expanded', () => {
  const tags = Array.from({ length: 300 }, (_, index) => `<b a=${index}>`).join('');
  const page = parseHtmlTree(`<p>${tags}</p>${'<p>x'.repeat(5_000)}`);
  expect(rawText(page)).toBe('x'.repeat(5_000));
  expect(rawText(parseHtmlTree('<div>'.repeat(9_000) + 'x'))).toBe('x');
  expect(() => parseHtmlTree('<div>'.repeat(50_000))).toThrow('nested too deeply');
});
