import { confluenceConnector } from './confluence.ts';
import type { AnyConnector } from './connector.ts';
import { fileConnector } from './file.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { notion } from './notion.ts';
import { rss } from './rss.ts';
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
  github,
  gitlab,
  notion,
];

/** By kind or alias; null for a source that no connector serves. */
export function findConnector(source: string): AnyConnector | null {
  const name = source.toLowerCase();
  return CONNECTORS.find(({ kind, aliases }) => kind === name || aliases.includes(name)) ?? null;
}
