import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { takeUserFile } from '#src/chat/user-files/take-user-file.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { parseConfig } from '#src/platform/config.ts';

const never = new AbortController().signal;

async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

/** Stores nothing, and lets files be looked at when told so. */
function heldFiles() {
  const lookedAt: string[] = [];
  const opened = Promise.withResolvers<void>();
  let stored = 0;
  const files = {
    async save(_file: unknown, content: AsyncIterable<Uint8Array>) {
      let byteCount = 0;
      for await (const part of content) byteCount += part.length;
      stored += 1;
      return { id: String(stored), byteCount };
    },
    async read(workspaceId: string) {
      lookedAt.push(workspaceId);
      await opened.promise;
      return { bytes: Buffer.from('plain text') };
    },
    remove: async () => undefined,
  };
  // The parts that this verb uses of a text file.
  const services = { config: parseConfig({}), files, parsers: {} } as unknown as ChatServices;
  return { services, lookedAt, open: () => opened.resolve() };
}

async function* text(): AsyncGenerator<Buffer> {
  yield Buffer.from('plain text');
}

it('looks at files of others although one workspace has sent many', async () => {
  const { services, lookedAt, open } = heldFiles();
  const take = (workspace: string) =>
    takeUserFile(
      services,
      { workspaceId: workspace as WorkspaceId, userId: 'ada' as UserId },
      { name: 'note.txt', mediaType: 'text/plain', content: text() },
      never,
    );
  const crowd = Array.from({ length: 6 }, () => take('large'));
  await manyTurns();
  expect(lookedAt).toEqual(['large', 'large']);
  const only = take('small');
  await manyTurns();
  expect(lookedAt).toEqual(['large', 'large', 'small']);
  const second = take('small');
  await manyTurns();
  expect(lookedAt).toEqual(['large', 'large', 'small']);
  open();
  for (const taken of await Promise.all([...crowd, only, second])) {
    expect(taken).toMatchObject({ name: 'note.txt', mediaType: 'text/plain' });
  }
  // Who had less was next.
  expect(lookedAt[3]).toBe('small');
});
