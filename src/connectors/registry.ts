import { confluenceConnector } from './confluence.ts';
import type { AnyConnector } from './connector.ts';
import { fileConnector } from './file.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { googleDrive } from './google-drive.ts';
import { imap } from './imap.ts';
import { notion } from './notion.ts';
import { rss } from './rss.ts';
import { s3 } from './s3.ts';
import { slack } from './slack.ts';
import { trackerConnector } from './tracker.ts';
import { web } from './web.ts';

/** Every kind of source there is. A new one: its file here, its line below, and its fixture. */
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

/** Everything that may stand in a connector's `source` for this kind, its own name first. */
export function sourcesOf({ kind, aliases, variants = [] }: AnyConnector): string[] {
  return [kind, ...aliases, ...variants];
}

/** By any of its names; null for a source that no connector serves. */
export function findConnector(source: string): AnyConnector | null {
  const name = source.toLowerCase();
  return CONNECTORS.find((connector) => sourcesOf(connector).includes(name)) ?? null;
}
