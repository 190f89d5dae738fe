import type { PGliteDialectConfig } from 'kysely';
import { copyPayloadOf } from './copy-rows.ts';
import type { EmbeddedDatabase, EmbeddedRunner } from './embedded-database.ts';

type KyselyPglite = Exclude<PGliteDialectConfig['pglite'], (...args: never[]) => unknown>;

/** The instance as Kysely gets it: the COPY statements of `copyRows` read from a blob. */
export function withCopy(pglite: EmbeddedDatabase): KyselyPglite {
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

function queryOf(target: Pick<EmbeddedRunner, 'query'>): KyselyPglite['query'] {
  return (statement, parameters, options) => {
    const copy = copyPayloadOf(parameters);
    return copy
      ? target.query(statement.replace('from stdin', "from '/dev/blob'"), [], {
          blob: new Blob([new Uint8Array(copy.bytes)]),
        })
      : target.query(statement, parameters, options);
  };
}
