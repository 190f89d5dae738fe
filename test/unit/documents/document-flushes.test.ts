import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import {
  createDocumentAcceptor,
  type DocumentAcceptor,
  FLUSH_BYTES,
} from '#src/documents/accept-document.ts';
import {
  ingestionItemSchema,
  packDocument,
  type PackedDocument,
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

function openAcceptor(db: Database): DocumentAcceptor {
  return createDocumentAcceptor(
    db,
    { enqueue: () => Promise.resolve() } as unknown as Services['producer'], // the part it uses
    { reserveRoom: () => Promise.resolve() },
    createLog('silent'),
    FLUSH_BYTES.embedded,
  );
}

function packed(ofWorkspace: WorkspaceId, id: string, content: object): PackedDocument {
  const context = { workspaceId: ofWorkspace, writer: null, requestId: null, maxBytes: 1_000_000 };
  const document = { id, semantic_identifier: id, ...content };
  return packDocument(toIncomingDocument(ingestionItemSchema.parse({ document }), context));
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
    const acceptor = openAcceptor(watched);
    const accepted = await Promise.all(
      Array.from({ length: DOCUMENTS }, (_, n) =>
        acceptor.acceptPacked(packed(workspaceId, `${kind}-${n}`, content())),
      ),
    );
    expect(accepted.every(({ changed }) => changed)).toBe(true);
    // The statement itself and the escapes in its JSON come on top.
    expect(Math.max(...sizes)).toBeLessThan(1.5 * FLUSH_BYTES.embedded);
    expect(sizes.length).toBeLessThan(DOCUMENTS / 2);
  });

  it('of one workspace do not wait for the backlog of another', async () => {
    const { workspaceId: small } = await createWorkspace(database, {
      name: 'Small',
      planTier: 'Free',
    });
    const acceptor = openAcceptor(database);
    const order: string[] = [];
    const accept = async (own: WorkspaceId, name: string, content: object): Promise<void> => {
      await acceptor.acceptPacked(packed(own, name, content));
      order.push(name);
    };
    const long = { sections: [{ text: 'harbour '.repeat(50_000) }] };
    const backlog = Array.from({ length: 10 }, (_, n) => accept(workspaceId, `backlog-${n}`, long));
    const later = accept(small, 'small', { sections: [{ text: 'harbour' }] });
    await Promise.all([...backlog, later]);
    // The first two fill the first flush; the second one begins with whoever has had least.
    expect(order.indexOf('small')).toBeLessThan(4);
  });
});
