// @module-tag peers
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { AwsClient } from 'aws4fetch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { s3 } from '#src/connectors/kinds/s3/s3.ts';
import { encodeKey } from '#src/connectors/kinds/s3/s3-store.ts';
import { CredentialRejected, SourceRefused } from '#src/connectors/source/source-errors.ts';
import { drivePeer, type PeerDrive } from '#test/support/drive-peer.ts';

const BUCKET = 'handbook';
/** The only account of the server, which checks Signature Version 4. */
const KEYS = { aws_access_key_id: 'S3RVER', aws_secret_access_key: 'S3RVER' };

let opened: AsyncDisposableStack;
let endpoint: string;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'millrace-s3-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  opened.defer(() => server.close());
  endpoint = `http://127.0.0.1:${port}`;
});
afterEach(() => opened.disposeAsync());

const driveWith = (settings: object = {}, credential: object = {}): PeerDrive =>
  opened.use(
    drivePeer(s3, {
      settings: {
        bucket_type: 's3',
        bucket_name: BUCKET,
        endpoint_url: endpoint,
        ...settings,
      },
      credential: { ...KEYS, ...credential },
    }),
  );

const owner = new AwsClient({ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', service: 's3' });

async function change(method: 'PUT' | 'DELETE', key: string, body?: string): Promise<void> {
  const init = { method, ...(body !== undefined && { body }) };
  const { status } = await owner.fetch(`${endpoint}/${BUCKET}/${encodeKey(key)}`, init);
  expect(status).toBeLessThan(300);
}
const put = (key: string, text: string): Promise<void> => change('PUT', key, text);

const titles = ({ documents }: { documents: { semanticIdentifier: string }[] }): string[] =>
  documents.map(({ semanticIdentifier }) => semanticIdentifier).toSorted();

describe('S3 at s3rver', () => {
  it('reads the files of a bucket, whatever characters their keys have', async () => {
    // No `&` and no `'`: the server escapes them twice in its listings.
    const keys = ['Größe.md', 'a b+c (one)!*.txt', 'x/100%=~.txt', 'x/日本.txt'];
    for (const key of keys) await put(key, `The text of ${key}`);
    await put('picture.bin', 'no text');
    const run = await driveWith().poll();
    expect(run.failures).toEqual([]);
    expect(titles(run)).toEqual(keys.map((key) => path.basename(key)).toSorted());
    for (const { semanticIdentifier: name, sections } of run.documents) {
      expect(sections[0]?.text).toMatch(new RegExp(`^The text of .*${RegExp.escape(name)}`));
    }
    expect(run.skipped).toMatchObject([{ documentId: `${endpoint}/${BUCKET}/picture.bin` }]);
    expect((await driveWith().list()).toSorted()).toEqual(
      run.documents.map(({ id }) => id).toSorted(),
    );
  });

  it('fetches only changes in the next run, and notices deleted files', async () => {
    for (const key of ['changed.txt', 'gone.txt', 'same.txt']) await put(key, 'The first text');
    const drive = driveWith();
    expect(titles(await drive.poll())).toEqual(['changed.txt', 'gone.txt', 'same.txt']);
    await put('changed.txt', 'Another text');
    await change('DELETE', 'gone.txt');
    drive.answers();
    const second = await drive.poll();
    expect(titles(second)).toEqual(['changed.txt']);
    expect(second.unchanged).toEqual([`${endpoint}/${BUCKET}/same.txt`]);
    expect(drive.answers()).toEqual([`200 /${BUCKET}`, `200 /${BUCKET}/changed.txt`]);
    expect(await drive.list()).toHaveLength(2);
  });

  it('saves page by page and resumes after the last one, within a prefix', async () => {
    for (let number = 10; number < 40; number += 1) await put(`in/${number}.txt`, `No. ${number}`);
    await put('out/1.txt', 'Outside');
    const { pages } = await driveWith({ prefix: 'in/' }).poll();
    expect(pages.map(({ documents }) => documents.length)).toEqual([25, 5]);
    const rest = await driveWith({ prefix: 'in/' }).poll(pages[0]?.checkpoint);
    expect(titles(rest)).toEqual(['35.txt', '36.txt', '37.txt', '38.txt', '39.txt']);
  });

  it.each([
    [{ aws_secret_access_key: 'not this one' }, 'SignatureDoesNotMatch'],
    [{ aws_access_key_id: 'nobody' }, 'InvalidAccessKeyId'],
  ])('says which key is wrong: %o', async (credential, code) => {
    const rejection: unknown = await driveWith({}, credential)
      .check()
      .catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(CredentialRejected);
    expect(String(rejection)).toContain(`The bucket ${BUCKET} cannot be listed. ${code}: `);
  });

  it('says that the bucket does not exist', async () => {
    const refusal: unknown = await driveWith({ bucket_name: 'elsewhere' })
      .check()
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SourceRefused);
    expect(String(refusal)).toContain('The bucket elsewhere cannot be listed. NoSuchBucket: ');
  });
});
