import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { createDocumentAcceptor, FLUSH_BYTES } from '#src/documents/accept-document.ts';
import {
  ingestionItemSchema,
  packDocument,
  toIncomingDocument,
} from '#src/documents/incoming-document.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { createLog } from '#src/platform/log.ts';
import type { Services } from '#src/services.ts';
import { BOOTSTRAP_KEY, openTestDatabase } from '#test/unit/api/harness.ts';

const DOCUMENTS = 100;

let database: Database;
let workspaceId: WorkspaceId;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ workspaceId } = await ensureBootstrap(database, { bootstrapKey: BOOTSTRAP_KEY }));
});
afterAll(() => database.destroy());

/** Records the sizes of statements with their parameters, in characters. */
function recordSizes(db: Database): { watched: Database; sizes: number[] } {
  const sizes: number[] = [];
  const watched = db.withPlugin({
    transformQuery({ node }) {
      sizes.push(JSON.stringify(node).length);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { watched, sizes };
}

describe('documents accepted concurrently', () => {
  it.each([
    ['text', () => ({ sections: [{ text: 'harbour '.repeat(5_000) }] })],
    [
      'metadata',
      () => ({
        sections: [{ text: 'harbour' }],
        metadata: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key-${n}`, 'v'])),
      }),
    ],
  ])('are written in statements of at most a megabyte when it is %s', async (kind, content) => {
    const { watched, sizes } = recordSizes(database);
    const acceptor = createDocumentAcceptor(
      watched,
      { enqueue: () => Promise.resolve() } as unknown as Services['producer'], // the part it uses
      { reserveRoom: () => Promise.resolve() },
      createLog('silent'),
      FLUSH_BYTES.embedded,
    );
    const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
    const accepted = await Promise.all(
      Array.from({ length: DOCUMENTS }, (_, n) => {
        const document = { id: `${kind}-${n}`, semantic_identifier: `D ${n}`, ...content() };
        const item = ingestionItemSchema.parse({ document });
        return acceptor.acceptPacked(packDocument(toIncomingDocument(item, context)));
      }),
    );
    expect(accepted.every(({ changed }) => changed)).toBe(true);
    // The statement itself and the escapes in its JSON come on top.
    expect(Math.max(...sizes)).toBeLessThan(1.5 * FLUSH_BYTES.embedded);
    expect(sizes.length).toBeLessThan(DOCUMENTS / 2);
  });
});
