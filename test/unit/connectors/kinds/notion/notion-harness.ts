import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { createNotionConnector } from '#src/connectors/kinds/notion/notion.ts';
import {
  richText,
  startNotionServer,
  type FakeBlock,
} from '#test/fixtures/connectors/notion-server.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';

export const NOW = new Date('2026-06-01T12:00:00Z');

export function hoursAgo(hours: number): Date {
  return new Date(NOW.getTime() - hours * 3_600_000);
}

/** The connector and the workspace it reads. */
export async function openNotion() {
  const { server, notion } = await startNotionServer();
  const connector = createNotionConnector({ apiBase: `${server.url}/v1` });
  const credential = { notion_integration_token: notion.token };
  return {
    server,
    notion,
    connector,
    /** Starts a poll whose pages the test takes one by one. */
    begin(test: TestContext, settings: object = {}, checkpoint: unknown = null) {
      const parsed = connector.settings.parse(settings);
      return connector.poll(parsed, credential, checkpoint, test.context);
    },
    async poll(settings: object = {}, context?: TestContext, checkpoint: unknown = null) {
      await using own = openTestContext({ until: NOW });
      const test = context ?? own;
      return await collectPages(this.begin(test, settings, checkpoint), test);
    },
    async check(settings: object = {}) {
      await using test = openTestContext();
      await connector.check(connector.settings.parse(settings), credential, test.context);
    },
    async listIds(settings: object = {}) {
      await using test = openTestContext();
      const portions = connector.listIds(
        connector.settings.parse(settings),
        credential,
        test.context,
      );
      const ids: string[] = [];
      for await (const portion of portions) ids.push(...portion);
      return ids;
    },
    async fetchAgain(ids: string[]) {
      await using test = openTestContext();
      const settings = connector.settings.parse({});
      const collected = [];
      for await (const page of connector.fetchAgain?.(settings, credential, ids, test.context) ??
        []) {
        collected.push(page);
      }
      return collected;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export function idOf({ id }: { id: string }): string {
  return `https://www.notion.so/${id.replaceAll('-', '')}`;
}

export function documentsOf(pages: readonly Pick<ConnectorPage<unknown>, 'documents'>[]) {
  return pages.flatMap((page) => page.documents);
}

let lastBlock = 0;

export function block(
  type: string,
  content: object | string = {},
  children: FakeBlock[] = [],
): FakeBlock {
  const filled = typeof content === 'string' ? { rich_text: richText(content) } : { ...content };
  return { id: `block-${(lastBlock += 1)}`, type, content: filled, children };
}

/** A page as a block of its parent. */
export function childOf(kind: 'page' | 'database', id: string, title: string): FakeBlock {
  return { id, type: `child_${kind}`, content: { title }, children: [] };
}
