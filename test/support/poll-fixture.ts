import type { AnyConnector, ConnectorPage } from '#src/connectors/source/connector.ts';
import { collectPages, openTestContext, type TestContext } from './connector-context.ts';
import type { RecordedRequest, SourceFault } from './fake-source.ts';

interface PolledFixture {
  readonly connector?: AnyConnector;
  readonly settings: Record<string, unknown>;
  readonly credential: Record<string, unknown>;
}

/** One connector with one fixture, called as by the engine: settings and credential are parsed by its schemas. */
export function driverOf(
  { connector: own, settings, credential }: PolledFixture,
  registered: AnyConnector | null = null,
) {
  const connector = own ?? registered;
  if (!connector) throw new Error('The fixture has no connector.');
  const parsed = (more: object) =>
    [
      connector.settings.parse({ ...settings, ...more }),
      connector.credential.parse(credential),
    ] as const;
  return {
    connector,
    parsed,
    check: (test: TestContext, more: object = {}) => connector.check(...parsed(more), test.context),
    pages: (test: TestContext, more: object = {}, checkpoint: unknown = null) =>
      connector.poll(...parsed(more), checkpoint, test.context),
    poll: (test: TestContext, more: object = {}, checkpoint: unknown = null) =>
      collectPages(connector.poll(...parsed(more), checkpoint, test.context), test),
    listIds: async (test: TestContext, more: object = {}) => {
      const ids: string[] = [];
      for await (const portion of connector.listIds(...parsed(more), test.context)) {
        ids.push(...portion);
      }
      return ids;
    },
    fetchAgain: async (test: TestContext, ids: readonly string[], more: object = {}) => {
      const pages: Omit<ConnectorPage<unknown>, 'checkpoint'>[] = [];
      const again = connector.fetchAgain?.(...parsed(more), ids, test.context) ?? [];
      for await (const page of again) pages.push(page);
      return pages;
    },
  };
}

export function idsOf(pages: readonly Pick<ConnectorPage<unknown>, 'documents'>[]): string[] {
  return pages.flatMap(({ documents }) => documents.map(({ id }) => id));
}

/** The first such request meets the fault; later ones are answered. */
export function faultOnce(when: (path: string) => boolean, fault: SourceFault) {
  let done = false;
  return ({ url }: RecordedRequest): SourceFault | null => {
    if (done || !when(url.pathname)) return null;
    done = true;
    return fault;
  };
}

/** The context of a later run of the same pair, with the memory of the earlier one. */
export function laterContext(earlier: TestContext, since: Date): TestContext {
  const later = openTestContext({ since });
  for (const [key, entry] of earlier.memory) later.memory.set(key, entry);
  return later;
}
