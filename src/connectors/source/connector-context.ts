import { sql } from 'kysely';
import { LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { AnyConnector, ConnectorContext } from './connector.ts';
import { createSourceHttp } from './create-source-http.ts';

/** An error on our side while a connector worked: not the source's fault. */
export class EngineFault extends Error {
  override readonly name = 'EngineFault';
}

/** Marks errors in `work` as our own. */
export async function asEngineFault<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new EngineFault(error instanceof Error ? error.message : String(error), { cause: error });
  });
}

/** The context of a connector for one run or one check. Without a pair nothing is remembered. */
export function connectorContext(
  services: Pick<
    ConnectorServices,
    'db' | 'http' | 'files' | 'parsers' | 'renderer' | 'clock' | 'wait'
  >,
  scope: {
    workspaceId: WorkspaceId;
    connector: AnyConnector;
    ccPairId: CcPairId | null;
    signal: AbortSignal;
  },
): ConnectorContext {
  const { db, http, files, parsers, renderer, clock, wait } = services;
  const { workspaceId, connector, ccPairId, signal } = scope;
  return {
    signal,
    http: createSourceHttp({
      client: http,
      policy: connector.limits,
      signal,
      clock,
      wait,
    }),
    guard: http.guard,
    files: {
      exists: async (id) => (await asEngineFault(files.find(workspaceId, id))) !== null,
      async read(id) {
        const found = await asEngineFault(files.read(workspaceId, id));
        if (!found) return null;
        const { name, metadata } = found.file;
        return { name, metadata, bytes: found.bytes };
      },
    },
    parse: async (file) => parsers.parse({ ...file, signal, owner: workspaceId }),
    recall: async (keys) =>
      ccPairId === null ? new Map() : asEngineFault(recall(db, ccPairId, keys)),
    renderer: renderer && {
      render: (url, options) => renderer.render(url, { ...options, owner: workspaceId }),
    },
    clock,
  };
}

/** An entry is valid while its document is in the pair and is neither failed nor being deleted. */
async function recall(
  db: Database,
  ccPairId: CcPairId,
  keys: readonly string[],
): Promise<Map<string, unknown>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ key: string; value: unknown }>`
    select m.key, m.value from connector_memory m
    where m.cc_pair_id = ${ccPairId} and m.key = any(${keys}::text[])
      and (m.document_id is null or exists (
        select 1 from ${LINKED_DOCUMENTS}
        join cc_pair p on p.id = l.cc_pair_id and p.workspace_id = d.workspace_id
        where p.id = m.cc_pair_id and d.external_id = m.document_id
          and d.status not in ('failed', 'deleting')))`.execute(db);
  return new Map(rows.map(({ key, value }) => [key, value]));
}
