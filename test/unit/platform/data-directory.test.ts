import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findLocalService, openDataDirectory } from '#src/platform/data-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-data-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('refuses a folder used by a running process, and names it', async () => {
  await writeFile(path.join(directory, 'millrace.pid'), String(process.ppid));
  await expect(openDataDirectory(directory)).rejects.toThrow(String(process.ppid));
});

it('takes over the lock of a killed process, or an invalid one', async () => {
  for (const left of ['999999999', 'rubbish', '']) {
    await writeFile(path.join(directory, 'millrace.pid'), left);
    (await openDataDirectory(directory)).release();
  }
});

it('keeps its secrets across starts, readable only by the owner', async () => {
  const first = await openDataDirectory(directory);
  first.saveSecrets({ ...first.secrets, adminApiKey: 'mr_key' });
  first.release();
  const second = await openDataDirectory(directory);
  expect(second.secrets).toEqual({ ...first.secrets, adminApiKey: 'mr_key' });
  expect(Buffer.from(second.secrets.encryptionKey, 'base64')).toHaveLength(32);
  expect((await stat(path.join(directory, 'secrets.json'))).mode & 0o777).toBe(0o600);
  second.release();
});

it('records the address of the local service only while it runs', async () => {
  const opened = await openDataDirectory(directory);
  expect(findLocalService(directory)).toBeNull();
  opened.announce({ url: 'http://127.0.0.1:1', apiKey: 'k' });
  expect(findLocalService(directory)).toEqual({
    url: 'http://127.0.0.1:1',
    api_key: 'k',
    pid: process.pid,
  });
  opened.release();
  expect(findLocalService(directory)).toBeNull();
});
