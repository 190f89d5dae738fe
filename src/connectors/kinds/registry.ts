import { confluenceConnector } from '#src/connectors/kinds/confluence/confluence.ts';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import { fileConnector } from '#src/connectors/kinds/file/file.ts';
import { github } from '#src/connectors/kinds/github/github.ts';
import { gitlab } from '#src/connectors/kinds/gitlab/gitlab.ts';
import { googleDrive } from '#src/connectors/kinds/google-drive/google-drive.ts';
import { imap } from '#src/connectors/kinds/imap/imap.ts';
import { notion } from '#src/connectors/kinds/notion/notion.ts';
import { rss } from '#src/connectors/kinds/rss/rss.ts';
import { s3 } from '#src/connectors/kinds/s3/s3.ts';
import { slack } from '#src/connectors/kinds/slack/slack.ts';
import { trackerConnector } from '#src/connectors/kinds/tracker/tracker.ts';
import { web } from '#src/connectors/kinds/web/web.ts';

/** All kinds of sources. To add one: its file here, its line below, and its fixture. */
export const CONNECTORS: readonly AnyConnector[] = [
  fileConnector,
  web,
  rss,
  trackerConnector,
  confluenceConnector,
  slack,
  googleDrive,
  github,
  gitlab,
  notion,
  s3,
  imap,
];

/** All values of a connector's `source` that mean this kind, its own name first. */
export function sourcesOf({ kind, aliases, variants = [] }: AnyConnector): string[] {
  return [kind, ...aliases, ...variants];
}

/** Finds a connector by any of its names; null for an unknown source. */
export function findConnector(source: string): AnyConnector | null {
  const name = source.toLowerCase();
  return CONNECTORS.find((connector) => sourcesOf(connector).includes(name)) ?? null;
}
