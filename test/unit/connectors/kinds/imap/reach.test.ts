import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';
import { type ImapFixture, startFixture } from '#test/fixtures/connectors/imap.ts';
import { readPem } from '#test/support/scripted-smtp.ts';

let fixture: ImapFixture;
let test_: TestContext;

beforeEach(async () => {
  fixture = await startFixture();
  test_ = openTestContext();
});

afterEach(async () => {
  await test_[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

function inputs(settings: Record<string, unknown> = {}): [unknown, unknown] {
  const { connector } = fixture;
  return [
    connector.settings.parse({ ...fixture.settings, ...settings }),
    connector.credential.parse(fixture.credential),
  ];
}

test('a host that does not resolve is named', async () => {
  const check = fixture.connector.check(...inputs({ host: 'imap.nowhere.invalid' }), {
    ...test_.context,
    guard: {
      addressesOf: () =>
        Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
    },
  });
  await expect(check).rejects.toThrow(SourceUnavailable);
  await expect(check).rejects.toThrow(
    'The host imap.nowhere.invalid has no address in the DNS. Check "host" in the settings.',
  );
});

test('a plain greeting where TLS is expected names the wrong setting', async () => {
  const check = fixture.connector.check(...inputs({ use_tls: true }), test_.context);
  await expect(check).rejects.toThrow(SourceRefused);
  await expect(check).rejects.toThrow(/answers without TLS on port \d+\. Set "use_tls" to false/);
});

test.each([
  ['localhost', ['localhost']],
  ['127.0.0.1', []],
])('a server is addressed by its name and never by its address: %s', async (host, expected) => {
  const names: string[] = [];
  const server = createServer({
    key: readPem('localhost-key'),
    cert: readPem('localhost-cert'),
    SNICallback: (name, done) => {
      names.push(name);
      done(null);
    },
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // a server listening on TCP has an address with a port
  const { port } = server.address() as AddressInfo;
  const context = {
    ...test_.context,
    guard: { addressesOf: async () => [{ address: '127.0.0.1', family: 4 as const }] },
  };
  await expect(
    fixture.connector.check(...inputs({ host, port, use_tls: true }), context),
  ).rejects.toThrow(/self-signed certificate/);
  expect(names).toEqual(expected);
  server.close();
  await once(server, 'close');
});
