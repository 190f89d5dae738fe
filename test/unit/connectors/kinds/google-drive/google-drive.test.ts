import { describe, expect, test } from 'vitest';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import { error } from '#test/support/fake-google-drive.ts';
import { useDrive } from './google-drive-harness.ts';

const GOOGLE = 'application/vnd.google-apps.';
const { fixture, inputs, poll, idOf, requestsTo, test: test_ } = useDrive();

describe('the credential', () => {
  test('with a refused grant is rejected in the words of Google', async () => {
    fixture().expireCredential?.();
    const check = fixture().connector.check(...inputs(), test_().context);
    await expect(check).rejects.toThrow(CredentialRejected);
    await expect(check).rejects.toThrow(/invalid_grant: Token has been expired or revoked\./);
  });

  test('renews a token that expires during a run once, and ends the run without a grant', async () => {
    const polling = fixture()
      .connector.poll(...inputs(), null, test_().context)
      [Symbol.asyncIterator]();
    await polling.next();
    fixture().drive.revokeTokens();
    expect((await polling.next()).done).toBe(false);
    expect(requestsTo('/token')).toBe(2);
    fixture().server.fault = ({ url }) =>
      url.pathname === '/token'
        ? null
        : {
            kind: 'status',
            status: 401,
            body: error(401, 'authError', 'Invalid Credentials').body ?? '',
          };
    await expect(polling.next()).rejects.toThrow(/Invalid Credentials/);
    expect(requestsTo('/token')).toBe(3);
  });

  test('with tokens of a user works like a service account, for that user only', async () => {
    const credential = {
      google_tokens: JSON.stringify({
        refresh_token: 'refresh',
        client_id: 'client',
        client_secret: 'client-secret',
        token_uri: `${fixture().server.url}/token`,
      }),
    };
    await fixture().connector.check(
      ...inputs({ include_my_drives: true }, credential),
      test_().context,
    );
    await expect(
      fixture().connector.check(
        ...inputs({ my_drive_emails: 'ben@example.com' }, credential),
        test_().context,
      ),
    ).rejects.toThrow(/need google_service_account_key/);
  });

  test('that is not a key file is named when it is created', () => {
    expect(() =>
      inputs(undefined, { google_service_account_key: '{"client_email": "a"}' }),
    ).toThrow(/private_key/);
    expect(() => inputs(undefined, { google_service_account_key: 'no json' })).toThrow(/JSON/);
    expect(() => inputs(undefined, {})).toThrow(/Give one of/);
  });
});

describe('the settings', () => {
  test('require something to read, and valid addresses', () => {
    expect(() => inputs({})).toThrow(/Set at least one of include_shared_drives/);
    expect(() => inputs({ shared_folder_urls: 'https://example.com/' })).toThrow(
      /is not an address of a folder/,
    );
    expect(() => inputs({ folders: 'x' })).toThrow(/folders/);
  });

  test('refuse a folder that is not visible', async () => {
    await expect(
      fixture().connector.check(
        ...inputs({
          shared_folder_urls:
            'https://drive.google.com/drive/u/0/folders/1missingfolder?usp=sharing',
        }),
        test_().context,
      ),
    ).rejects.toThrow(/folder 1missingfolder cannot be seen by admin@example\.com/);
  });
});

describe('the Google Drive connector', () => {
  test('waits after userRateLimitExceeded, and fails the run for a disabled API', async () => {
    let left = 2;
    fixture().server.fault = ({ url }) => {
      if (url.pathname !== '/drive/v3/files' || left === 0) return null;
      left -= 1;
      return {
        kind: 'status',
        status: 403,
        body: error(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded').body ?? '',
      };
    };
    expect((await poll()).ids).toHaveLength(8);
    expect(test_().waits).toEqual([5_000, 5_000]);
    fixture().server.fault = ({ url }) =>
      url.pathname === '/token'
        ? null
        : {
            kind: 'status',
            status: 403,
            body:
              error(403, 'accessNotConfigured', 'Drive API has not been used in project 7 before')
                .body ?? '',
          };
    await expect(poll()).rejects.toThrow(SourceRefused);
    await expect(poll()).rejects.toThrow(/has not been used in project 7/);
  });

  test('reports an export that is too large as one failure, retried alone', async () => {
    fixture().drive.write({
      id: '1large',
      name: 'Large',
      mimeType: `${GOOGLE}document`,
      content: Buffer.alloc(11 * 1024 * 1024, 'a'),
    });
    const first = await poll();
    expect(first.ids).toHaveLength(8);
    expect(first.failures).toMatchObject([
      {
        documentId: idOf('1large'),
        reason: 'Large: This file is too large to be exported. (exportSizeLimitExceeded)',
      },
    ]);
    fixture().drive.write({ id: '1large', name: 'Large', content: Buffer.from('Shorter.') });
    const again = fixture().connector.fetchAgain?.(
      ...inputs(),
      [idOf('1large'), idOf('1never')],
      test_().context,
    );
    const pages = [];
    for await (const page of again ?? []) pages.push(page);
    expect(pages).toMatchObject([
      { documents: [{ id: idOf('1large') }], removed: [idOf('1never')] },
    ]);
  });

  test('does not take the answer of a gateway for a file', async () => {
    fixture().server.fault = ({ url }) =>
      url.searchParams.get('alt') === 'media' || url.pathname.endsWith('/export')
        ? { kind: 'wrong-json' }
        : null;
    const { documents, failures } = await poll().catch((reason: unknown) => {
      expect(reason).toBeInstanceOf(SourceUnavailable);
      return { documents: [], failures: [] };
    });
    expect(documents).toEqual([]);
    expect(failures).toEqual([]);
  });
});
