import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createS3Connector } from '#src/connectors/kinds/s3/s3.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { startFakeSource } from '#test/support/fake-source.ts';
import { BUCKET, type S3Fixture, startFixture, xmlError } from '#test/fixtures/connectors/s3.ts';

const connector = createS3Connector();
const DENIED = xmlError(403, 'AccessDenied', 'Access Denied').body ?? '';
const SLOW_DOWN = xmlError(503, 'SlowDown', 'Please reduce your request rate.').body ?? '';
const DAY = new Date('2026-02-01T00:00:00Z');

let fixture: S3Fixture;
let test_: TestContext;

beforeEach(async () => {
  fixture = await startFixture();
  test_ = openTestContext();
});

afterEach(async () => {
  await test_[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

function inputs(
  settings: Record<string, unknown> = {},
  credential: Record<string, unknown> = fixture.credential,
): [unknown, unknown] {
  return [
    connector.settings.parse({ ...fixture.settings, ...settings }),
    connector.credential.parse(credential),
  ];
}

async function poll(settings: Record<string, unknown> = {}, checkpoint: unknown = null) {
  const pages = await collectPages(
    connector.poll(...inputs(settings), checkpoint, test_.context),
    test_,
  );
  return {
    pages,
    documents: pages.flatMap((page) => page.documents),
    unchanged: pages.flatMap((page) => page.unchanged),
    skipped: pages.flatMap((page) => page.skipped),
    failures: pages.flatMap((page) => page.failures),
    removed: pages.flatMap((page) => page.removed),
  };
}

function object(key: string, text: string | Buffer, headers: Record<string, string> = {}): void {
  fixture.objects.set(key, { bytes: Buffer.from(text), at: DAY, headers });
}

const gets = (): number =>
  fixture.server?.requests.filter(({ url }) => !url.searchParams.has('list-type')).length ?? 0;

describe('the S3 connector', () => {
  test('rejects the credential for an unknown access key, a wrong secret and an expired token', async () => {
    for (const [changed, words] of [
      [{ aws_access_key_id: 'AKIAUNKNOWN' }, /InvalidAccessKeyId: The AWS Access Key Id/],
      [{ aws_secret_access_key: 'wrong' }, /SignatureDoesNotMatch: The request signature/],
    ] as const) {
      const check = connector.check(
        ...inputs({}, { ...fixture.credential, ...changed }),
        test_.context,
      );
      await expect(check).rejects.toThrow(CredentialRejected);
      await expect(check).rejects.toThrow(words);
    }
    fixture.expireCredential?.();
    await expect(poll()).rejects.toThrow(/ExpiredToken: The provided token has expired/);
  });

  test('rejects the credential for AccessDenied on the listing, but fails only the object for one object', async () => {
    const server = fixture.server;
    if (!server) throw new Error('The fixture has a server.');
    server.fault = ({ url }) =>
      url.pathname.endsWith('page%203.txt')
        ? {
            kind: 'status',
            status: 403,
            body: DENIED,
          }
        : null;
    const { documents, failures } = await poll();
    expect(documents).toHaveLength(7);
    expect(failures).toMatchObject([{ reason: 'AccessDenied: Access Denied' }]);
    server.fault = () => ({
      kind: 'status',
      status: 403,
      body: DENIED,
    });
    await expect(poll()).rejects.toThrow(CredentialRejected);
  });

  test('refuses a missing bucket', async () => {
    const check = connector.check(...inputs({ bucket_name: 'nowhere' }), test_.context);
    await expect(check).rejects.toThrow(SourceRefused);
    await expect(check).rejects.toThrow(/nowhere cannot be listed\. NoSuchBucket/);
  });

  test('waits after SlowDown', async () => {
    const server = fixture.server;
    if (!server) throw new Error('The fixture has a server.');
    let left = 2;
    server.fault = () => {
      left -= 1;
      return left < 0
        ? null
        : {
            kind: 'status',
            status: 503,
            body: SLOW_DOWN,
          };
    };
    expect((await poll()).documents).toHaveLength(8);
    expect(test_.waits).toHaveLength(2);
  });
});

describe('a gateway page', () => {
  test('is neither an empty bucket nor the content of an object', async () => {
    const server = fixture.server;
    if (!server) throw new Error('The fixture has a server.');
    server.fault = () => ({ kind: 'wrong-json' });
    await expect(poll()).rejects.toThrow(SourceUnavailable);
    server.fault = ({ url }) => (url.searchParams.has('list-type') ? null : { kind: 'wrong-json' });
    await expect(poll()).rejects.toThrow(SourceUnavailable);
    let isFirst = true;
    server.fault = () => {
      const fault = isFirst ? ({ kind: 'wrong-json' } as const) : null;
      isFirst = false;
      return fault;
    };
    expect((await poll()).documents).toHaveLength(8);
  });
});

describe('a poll', () => {
  test('switches to the region named by the store', async () => {
    fixture.region = 'eu-central-1';
    expect((await poll()).documents).toHaveLength(8);
    expect(
      fixture.server?.requests.filter(({ headers }) =>
        headers.authorization?.includes('us-east-1'),
      ),
    ).toHaveLength(1);
  });

  test('fetches only changed ETags, and resumes after the last key of its checkpoint', async () => {
    const first = await poll();
    expect(first.documents.map(({ id }) => id)).toEqual(fixture.ids());
    const before = gets();
    const changed = fixture.put('page 4', 'Another text.', DAY);
    const second = await poll();
    expect(second.documents.map(({ id }) => id)).toEqual([changed]);
    expect(second.unchanged).toHaveLength(7);
    expect(gets() - before).toBe(1);
    const resumed = await poll({}, first.pages[0]?.checkpoint);
    expect([...resumed.unchanged, ...resumed.documents.map(({ id }) => id)]).toEqual(
      fixture.ids().slice(3),
    );
  });

  test('reads keys with every kind of character, and reports those it cannot address', async () => {
    fixture.objects.clear();
    const keys = [
      "a+b (c)!'*.txt",
      ' spaces .txt',
      'ü/中文.txt',
      '100%.txt',
      'a&b<c>"d".txt',
      '//double.txt',
    ];
    for (const key of keys) object(key, `Text of ${key}`);
    object('up/../down.txt', 'Unreachable.');
    const { documents, failures } = await poll();
    expect(new Set(documents.map(({ sections }) => sections[0]?.text))).toEqual(
      new Set(keys.map((key) => `Text of ${key}`)),
    );
    expect(failures).toMatchObject([{ reason: expect.stringContaining('segment in its key') }]);
    expect(new Set(fixture.ids()).size).toBe(7);
  });

  test('counts folders, empty objects and other types as skipped, and large and broken ones as failed', async () => {
    fixture.objects.clear();
    object('folder/', '');
    object('empty.txt', '');
    object('picture.png', 'not fetched');
    object('broken.pdf', 'not a pdf');
    object('large.txt', Buffer.alloc(21 * 1024 * 1024, 'a'));
    object('README', 'A text without extension.');
    const { documents, skipped, failures } = await poll();
    expect(documents.map(({ semanticIdentifier }) => semanticIdentifier)).toEqual(['README']);
    expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
      'a folder',
      'an empty object',
      'not a type of file that holds text',
    ]);
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('broken.pdf'),
      'large.txt has 21 MB; the limit is 20 MB. Split it.',
    ]);
    expect(gets()).toBe(2);
  });

  test('reads only below the prefix, with the metadata of the uploader', async () => {
    object('other/plan.md', '# Plan\n\nLater.', { 'x-amz-meta-team': 'ops' });
    const { documents } = await poll({ prefix: 'other/' });
    expect(documents).toMatchObject([
      {
        id: `${fixture.server?.url}/${BUCKET}/other/plan.md`,
        semanticIdentifier: 'plan.md',
        metadata: { bucket: BUCKET, folder: 'other', team: 'ops', content_type: 'text/plain' },
        updatedAt: DAY,
      },
    ]);
  });

  test('removes an object that disappears between listing and fetching', async () => {
    const server = fixture.server;
    if (!server) throw new Error('The fixture has a server.');
    const [id] = fixture.ids();
    server.fault = ({ url }) => {
      if (!url.searchParams.has('list-type')) fixture.remove('page 1');
      return null;
    };
    const { removed, documents } = await poll();
    expect(removed).toEqual([id]);
    expect(documents).toHaveLength(7);
  });

  test('lists ids without fetching anything', async () => {
    object('picture.png', 'not a document');
    const ids: string[] = [];
    for await (const portion of connector.listIds(...inputs(), test_.context)) ids.push(...portion);
    expect(ids).toEqual(fixture.ids().filter((id) => !id.endsWith('.png')));
    expect(gets()).toBe(0);
  });
});

describe('credentials', () => {
  test('may assume a role with the access key, and a refusal is shown', async () => {
    let isAllowed = true;
    await using sts = await startFakeSource(() =>
      isAllowed
        ? {
            body: `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>AKIAIOSFODNN7EXAMPLE</AccessKeyId><SecretAccessKey>wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY</SecretAccessKey><SessionToken>session</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
          }
        : {
            status: 403,
            body: '<ErrorResponse><Error><Code>AccessDenied</Code><Message>not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>',
          },
    );
    const assuming = createS3Connector({ stsAddress: () => sts.url });
    const credential = assuming.credential.parse({
      authentication_method: 'assume_role',
      aws_access_key_id: 'AKIAOFTHEUSER',
      aws_secret_access_key: 'secret',
      aws_role_arn: 'arn:aws:iam::123456789012:role/reader',
    });
    const [settings] = inputs();
    const pages = await collectPages(assuming.poll(settings, credential, null, test_.context));
    expect(pages.flatMap(({ documents }) => documents)).toHaveLength(8);
    expect(sts.requests).toHaveLength(1);
    expect(fixture.server?.requests[0]?.headers['x-amz-security-token']).toBe('session');
    isAllowed = false;
    await expect(assuming.check(settings, credential, test_.context)).rejects.toThrow(
      /role\/reader cannot be assumed\. AccessDenied: not authorized/,
    );
  });

  test('of a role without an access key are refused with the reason', async () => {
    const check = connector.check(
      ...inputs({}, { authentication_method: 'iam_role', aws_role_arn: 'arn:aws:iam::1:role/x' }),
      test_.context,
    );
    await expect(check).rejects.toThrow(/metadata service/);
  });

  test('must match the kind of bucket', async () => {
    expect(() => inputs({}, {})).toThrow(/access key is missing/);
    await expect(connector.check(...inputs({ bucket_type: 'r2' }), test_.context)).rejects.toThrow(
      'A bucket of type r2 needs r2_access_key_id in its credential.',
    );
    expect(() => inputs({ bucket: 'x' })).toThrow(/bucket/);
  });
});
