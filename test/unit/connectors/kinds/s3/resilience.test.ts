import { expect, test } from 'vitest';
import { SourceRefused, SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { s3 } from '#src/connectors/kinds/s3/s3.ts';
import { startFixture, xmlError } from '#test/fixtures/connectors/s3.ts';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';
import type { FakeSource, SourceFault } from '#test/support/fake-source.ts';
import { driverOf, idsOf } from '#test/support/poll-fixture.ts';

type Fixture = Awaited<ReturnType<typeof startFixture>>;

const drive = (fixture: Fixture) => driverOf(fixture, s3);

function serverOf({ server }: Fixture): FakeSource {
  if (!server) throw new Error('The fixture has a server.');
  return server;
}

/** Applies a fault to every object request; listings are answered. */
function faultObjects(fixture: Fixture, fault: SourceFault): void {
  serverOf(fixture).fault = ({ url }) => (url.searchParams.has('list-type') ? null : fault);
}

function statusFault(status: number, code: string): SourceFault {
  return { kind: 'status', status, body: xmlError(status, code, `Words of ${code}.`).body ?? '' };
}

function openLater(earlier: TestContext, since: Date): TestContext {
  const later = openTestContext({ since });
  for (const [key, entry] of earlier.memory) later.memory.set(key, entry);
  return later;
}

test('a "not found" from a gateway does not mean that an object is gone', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  faultObjects(fixture, { kind: 'status', status: 404, body: '<html>Not here</html>' });
  await expect(drive(fixture).poll(context)).rejects.toBeInstanceOf(SourceUnavailable);
});

test('archived objects are skipped with that reason, however many there are', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  faultObjects(fixture, statusFault(403, 'InvalidObjectState'));
  const pages = await drive(fixture).poll(context);
  expect(pages.flatMap(({ failures }) => failures)).toEqual([]);
  const reasons = pages.flatMap(({ skipped }) => skipped.map(({ reason }) => reason));
  expect(reasons).toEqual(Array(8).fill('archived: it can be read once it is restored'));
});

test('a wrong clock fails the run in the words of the store, not object by object', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  faultObjects(fixture, statusFault(403, 'RequestTimeTooSkewed'));
  await expect(drive(fixture).poll(context)).rejects.toBeInstanceOf(SourceUnavailable);
  serverOf(fixture).fault = () => statusFault(403, 'RequestTimeTooSkewed');
  await expect(drive(fixture).poll(context)).rejects.toThrow(/RequestTimeTooSkewed/);
  await expect(drive(fixture).poll(context)).rejects.toBeInstanceOf(SourceRefused);
});

test('slow objects are saved every minute, and each is read once', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.fill(120, new Date('2026-01-20T00:00:00Z'));
  const limited = new Set<string>();
  serverOf(fixture).fault = ({ url }) => {
    if (url.searchParams.has('list-type') || limited.has(url.pathname)) return null;
    limited.add(url.pathname);
    return { kind: 'status', status: 503, headers: { 'retry-after': '40' } };
  };
  const pages = await drive(fixture).poll(context);
  expect(Math.max(...pages.map(({ documents }) => documents.length))).toBeLessThanOrEqual(8);
  expect(idsOf(pages)).toEqual(fixture.ids());
  serverOf(fixture).fault = () => null;
  const [, second] = pages;
  await using fresh = openTestContext();
  const rest = await drive(fixture).poll(fresh, {}, second?.checkpoint);
  expect([...idsOf(pages.slice(0, 2)), ...idsOf(rest)]).toEqual(fixture.ids());
});

test('objects last changed before the start of the first run are skipped, also later', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext({ since: new Date(Date.UTC(2026, 0, 5)) });
  const pages = await drive(fixture).poll(first);
  expect(idsOf(pages)).toHaveLength(4);
  expect(pages.flatMap(({ skipped }) => skipped)).toHaveLength(4);
  await using second = openLater(first, new Date(Date.UTC(2026, 5, 1)));
  const again = await drive(fixture).poll(second);
  expect(again.flatMap(({ unchanged }) => unchanged)).toHaveLength(4);
  expect(again.flatMap(({ skipped }) => skipped)).toHaveLength(4);
});

test('a bucket that was empty in the first run is read completely once it has objects', async () => {
  await using fixture = await startFixture();
  const objects = [...fixture.objects];
  fixture.objects.clear();
  await using first = openTestContext();
  expect(idsOf(await drive(fixture).poll(first))).toEqual([]);
  for (const [key, object] of objects) fixture.objects.set(key, object);
  await using second = openLater(first, new Date(Date.UTC(2026, 5, 1)));
  expect(idsOf(await drive(fixture).poll(second))).toHaveLength(8);
});
