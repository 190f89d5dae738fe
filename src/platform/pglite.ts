import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { PGliteDialectConfig } from 'kysely';
import { copyPayloadOf } from './copy-rows.ts';

const BYTEA_OID = 17;

/**
 * Opens the embedded database in `directory` (in memory when null).
 * Its one session finds the queues' tables after our own.
 */
export async function openPglite(
  directory: string | null,
  snapshot: Blob | null = null,
): Promise<PGlite> {
  const pglite = await PGlite.create({
    extensions: { vector },
    parsers: { [BYTEA_OID]: (hex: string) => Buffer.from(hex.slice(2), 'hex') },
    ...(directory === null ? {} : { dataDir: directory }),
    ...(snapshot === null ? {} : { loadDataDir: snapshot }),
  });
  await pglite.exec('set search_path = public, bullmq');
  return pglite;
}

type KyselyPglite = Exclude<PGliteDialectConfig['pglite'], (...args: never[]) => unknown>;
type Queryable = Pick<PGlite, 'query'>;

/** What Kysely is given: the same instance, with the COPY statements of `copyRows` read from a blob. */
export function withCopy(pglite: PGlite): KyselyPglite {
  return {
    close: () => pglite.close(),
    get closed() {
      return pglite.closed;
    },
    get ready() {
      return pglite.ready;
    },
    waitReady: pglite.waitReady,
    query: queryOf(pglite),
    transaction: (callback) =>
      pglite.transaction((tx) => callback({ query: queryOf(tx), rollback: () => tx.rollback() })),
  };
}

function queryOf(target: Queryable): KyselyPglite['query'] {
  return (statement, parameters, options) => {
    const copy = copyPayloadOf(parameters);
    return copy
      ? target.query(statement.replace('from stdin', "from '/dev/blob'"), [], {
          blob: new Blob([new Uint8Array(copy.bytes)]),
        })
      : target.query(statement, parameters, options);
  };
}
