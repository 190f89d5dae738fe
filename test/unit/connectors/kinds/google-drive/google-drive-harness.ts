import { afterEach, beforeEach } from 'vitest';
import { mergePages } from '#src/connectors/source/merge-pages.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { type DriveFixture, startFixture } from '#test/fixtures/connectors/google_drive.ts';

/** A fresh Drive and a fresh context for each test of the calling file. */
export function useDrive() {
  let opened: { fixture: DriveFixture; context: TestContext } | null = null;
  const current = (): { fixture: DriveFixture; context: TestContext } => {
    if (opened === null) throw new Error('The Drive is there within tests only.');
    return opened;
  };
  beforeEach(async () => {
    opened = { fixture: await startFixture(), context: openTestContext() };
  });
  afterEach(async () => {
    await current().context[Symbol.asyncDispose]();
    await current().fixture[Symbol.asyncDispose]();
  });
  const inputs = (
    settings: Record<string, unknown> = current().fixture.settings,
    credential: Record<string, unknown> = current().fixture.credential,
  ): [unknown, unknown] => {
    const { connector } = current().fixture;
    return [connector.settings.parse(settings), connector.credential.parse(credential)];
  };
  const requests = (isMeant: (path: string) => boolean): number =>
    current().fixture.server.requests.filter(({ url }) => isMeant(url.pathname)).length;
  return {
    /** The server, its connector and its settings. */
    fixture: () => current().fixture,
    test: () => current().context,
    inputs,
    poll: async (
      options: {
        settings?: Record<string, unknown>;
        checkpoint?: unknown;
        since?: Date | null;
        until?: Date;
      } = {},
    ) => {
      const { settings, checkpoint = null, since = null } = options;
      const { context: given } = current().context;
      const context = { ...given, since, until: options.until ?? given.until };
      const polled = current().fixture.connector.poll(...inputs(settings), checkpoint, context);
      const pages = await collectPages(polled, current().context);
      return {
        pages,
        ids: pages.flatMap((page) => page.documents.map(({ id }) => id)),
        documents: pages.flatMap((page) => page.documents),
        unchanged: pages.flatMap((page) => page.unchanged),
        skipped: pages.flatMap((page) => page.skipped),
        failures: pages.flatMap((page) => page.failures),
        removed: pages.flatMap((page) => page.removed),
      };
    },
    fetchAgain: async (ids: readonly string[], settings?: Record<string, unknown>) => {
      const { connector } = current().fixture;
      const pages = connector.fetchAgain?.(...inputs(settings), ids, current().context.context);
      return mergePages(await Array.fromAsync(pages ?? []), 'again');
    },
    listIds: async (settings?: Record<string, unknown>): Promise<string[]> => {
      const { connector } = current().fixture;
      const portions = connector.listIds(...inputs(settings), current().context.context);
      return (await Array.fromAsync(portions)).flat();
    },
    idOf: (fileId: string): string => `https://drive.google.com/file/d/${fileId}`,
    listings: () => requests((path) => path === '/drive/v3/files'),
    requestsTo: (start: string) => requests((path) => path.startsWith(start)),
  };
}
