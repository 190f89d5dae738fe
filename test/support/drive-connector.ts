import type { AnyConnector, ConnectorPage } from '#src/connectors/source/connector.ts';
import { collectPages, openTestContext } from './connector-context.ts';
import type { ConnectorFixture } from './connector-fixture.ts';

export interface OpenedFixture {
  connector: AnyConnector;
  settings: unknown;
  credential: unknown;
}

/** Inputs parsed by the connector's own schemas, as the engine does. */
export function openFixture(
  { connector, settings, credential }: ConnectorFixture,
  changed: Record<string, unknown> = {},
): OpenedFixture {
  if (!connector) throw new Error('The fixture has no connector of its own.');
  return {
    connector,
    settings: connector.settings.parse({ ...settings, ...changed }),
    credential: connector.credential.parse(credential),
  };
}

/** All pages of a poll. */
export async function pollFixture(
  fixture: ConnectorFixture,
  options: { settings?: Record<string, unknown>; since?: Date; checkpoint?: unknown } = {},
): Promise<ConnectorPage<unknown>[]> {
  const { connector, settings, credential } = openFixture(fixture, options.settings);
  await using test = openTestContext({ since: options.since ?? null });
  const { checkpoint = null } = options;
  return await collectPages(connector.poll(settings, credential, checkpoint, test.context), test);
}

export async function listFixture(
  fixture: ConnectorFixture,
  changed: Record<string, unknown> = {},
): Promise<string[]> {
  const { connector, settings, credential } = openFixture(fixture, changed);
  await using test = openTestContext();
  const ids: string[] = [];
  for await (const some of connector.listIds(settings, credential, test.context)) ids.push(...some);
  return ids;
}

export async function checkFixture(
  fixture: ConnectorFixture,
  changed: Record<string, unknown> = {},
): Promise<void> {
  const { connector, settings, credential } = openFixture(fixture, changed);
  await using test = openTestContext();
  await connector.check(settings, credential, test.context);
}

export async function fetchFixtureAgain(
  fixture: ConnectorFixture,
  ids: readonly string[],
  changed: Record<string, unknown> = {},
): Promise<Omit<ConnectorPage<unknown>, 'checkpoint'>[]> {
  const { connector, settings, credential } = openFixture(fixture, changed);
  await using test = openTestContext();
  const pages = [];
  const again = connector.fetchAgain?.(settings, credential, ids, test.context) ?? [];
  for await (const page of again) pages.push(page);
  return pages;
}

type SomePage = Pick<ConnectorPage<unknown>, 'documents'>;

export function documentsOf(pages: readonly SomePage[]): ConnectorPage<unknown>['documents'] {
  return pages.flatMap(({ documents }) => documents);
}

export function idsOf(pages: readonly SomePage[]): string[] {
  return documentsOf(pages).map(({ id }) => id);
}
