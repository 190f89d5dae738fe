import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { createSlackConnector } from '#src/connectors/kinds/slack/slack.ts';
import { startSlackServer, type FakeWorkspace } from '#test/fixtures/connectors/slack-server.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';

const DAY_MS = 86_400_000;
export const NOW = new Date('2026-06-01T12:00:00Z');
export const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

export async function openSlack() {
  const { server, workspace } = await startSlackServer();
  const connector = createSlackConnector({ apiBase: `${server.url}/api` });
  const settingsOf = (settings: object) => connector.settings.parse(settings);
  return {
    server,
    workspace,
    connector,
    credential: { slack_bot_token: workspace.token },
    async poll(settings: object = {}, context?: TestContext, checkpoint: unknown = null) {
      await using own = openTestContext({ until: NOW });
      const test = context ?? own;
      return await collectPages(
        connector.poll(settingsOf(settings), this.credential, checkpoint, test.context),
        test,
      );
    },
    async check(settings: object = {}) {
      await using test = openTestContext();
      await connector.check(settingsOf(settings), this.credential, test.context);
    },
    async listIds(settings: object = {}) {
      await using test = openTestContext();
      const pages = connector.listIds(settingsOf(settings), this.credential, test.context);
      const ids: string[] = [];
      for await (const page of pages) ids.push(...page);
      return ids.sort();
    },
    async fetchAgain(ids: string[], settings: object = {}) {
      await using test = openTestContext();
      const pages = connector.fetchAgain?.(
        settingsOf(settings),
        this.credential,
        ids,
        test.context,
      );
      const collected = [];
      for await (const page of pages ?? []) collected.push(page);
      return collected;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export const documentsOf = (pages: ConnectorPage<unknown>[]) =>
  pages.flatMap((page) => page.documents);
export const textOf = (page: ConnectorPage<unknown>[], id: string) =>
  documentsOf(page)
    .find((document) => document.id === id)
    ?.sections.map(({ text }) => text)
    .join('\n');
export const say = (workspace: FakeWorkspace, text: string, days = 1, more: object = {}) =>
  workspace.post('C01', daysAgo(days), { user: 'U01', text, ...more });
