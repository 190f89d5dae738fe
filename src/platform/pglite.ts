import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { PGliteDialectConfig } from 'kysely';
import { z } from 'zod';
import { copyPayloadOf } from './copy-rows.ts';
import { StartError } from './errors.ts';

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
  }).catch((error: unknown) => {
    throw error instanceof Error ? error : unopened(directory ?? 'memory', error);
  });
  await pglite.exec('set search_path = public, bullmq');
  return pglite;
}

const systemFailure = z.object({ errno: z.number() });
/** ENOSPC in the numbering of WASI, which WebAssembly programs have. */
const WASI_NO_SPACE = 51;

/** What the file system of PGlite throws is no `Error` and has no message. */
export function unopened(place: string, cause: unknown): StartError {
  const errno = systemFailure.safeParse(cause).data?.errno;
  const reason =
    errno === WASI_NO_SPACE
      ? 'no space is left on its disk. Make room, or set DATA_DIR to a folder on another disk.'
      : `its files cannot be read or written (WASI error ${errno ?? 'unknown'}). Check the folder and its owner, or restore a backup.`;
  return new StartError(`The embedded database in ${place} cannot be opened: ${reason}`, { cause });
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
