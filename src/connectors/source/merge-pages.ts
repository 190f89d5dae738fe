import { type ConnectorPage, pageOf } from './connector.ts';

export type PagePart = Partial<Omit<ConnectorPage<unknown>, 'checkpoint' | 'description'>>;

/** Merges several partial pages into one. */
export function mergePages(
  parts: readonly PagePart[],
  description: string,
): Omit<ConnectorPage<unknown>, 'checkpoint'> {
  return pageOf({
    documents: parts.flatMap(({ documents }) => documents ?? []),
    unchanged: parts.flatMap(({ unchanged }) => unchanged ?? []),
    skipped: parts.flatMap(({ skipped }) => skipped ?? []),
    failures: parts.flatMap(({ failures }) => failures ?? []),
    removed: parts.flatMap(({ removed }) => removed ?? []),
    memory: parts.flatMap(({ memory }) => memory ?? []),
    checkpoint: null,
    description,
  });
}
