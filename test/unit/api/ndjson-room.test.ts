import { request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingestionRoutes } from '#src/api/routes/ingestion.ts';
import { openDocumentReader } from '#src/documents/document-reader.ts';
import { type LineRoom, longestLineBytes, openLineRoom } from '#src/documents/line-room.ts';
import { openFairGate } from '#src/platform/fair-gate.ts';
import { Problem } from '#src/platform/errors.ts';
import { createLog } from '#src/platform/log.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { until } from '#test/support/until.ts';
import { BOOTSTRAP_KEY, openTestApi, type TestApi } from './harness.ts';

const LINE_BYTES = 4_000;
/** Of the workspace: five lines. */
const ROOM_BYTES = 20_000;

/** Lines that were read and are not stored yet, in order of arrival: each is stored when it is called. */
const held: (() => void)[] = [];
let mostHeld = 0;

async function hold({ externalId }: { externalId: string }) {
  const stored = Promise.withResolvers<void>();
  held.push(stored.resolve);
  mostHeld = Math.max(mostHeld, held.length);
  await stored.promise;
  if (externalId.startsWith('refused')) throw new Problem('RATE_LIMIT_EXCEEDED', 'Later.');
  return { documentId: externalId, alreadyExisted: false, status: 'accepted' };
}

let api: TestApi;
let lineRoom: LineRoom;
const reader = openDocumentReader(createLog('silent'));

beforeAll(async () => {
  lineRoom = openFairGate({ places: 2 * ROOM_BYTES, placesOfKey: ROOM_BYTES });
  api = await openTestApi(ingestionRoutes, {
    overrides: {
      lineRoom,
      documentReader: reader,
      documentAcceptor: { acceptPacked: hold } as unknown as Services['documentAcceptor'],
    },
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await reader.close();
});

function lineOf(id: string): string {
  const document = { id, semantic_identifier: id, sections: [{ text: '' }] };
  const empty = JSON.stringify({ document });
  const text = 'x'.repeat(LINE_BYTES - empty.length);
  return JSON.stringify({ document: { ...document, sections: [{ text }] } });
}

/** Sends lines and resolves with the ids of the answers. */
function openStream(): {
  send(text: string): void;
  end(): void;
  ids: Promise<string[]>;
  cut(): void;
} {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  promise.catch(() => undefined);
  const sent = request(`${api.url}/service-api/ingestion/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${BOOTSTRAP_KEY}`, 'Content-Type': 'application/x-ndjson' },
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    let text = '';
    response.on('data', (data: Buffer) => (text += data.toString()));
    response.on('error', reject);
    response.on('end', () => {
      const lines = text.trim().split('\n');
      resolve(lines.map((line) => (JSON.parse(line) as { document_id: string }).document_id));
    });
  });
  return {
    send: (text) => void sent.write(text),
    end: () => void sent.end(),
    ids: promise,
    cut: () => void sent.destroy(),
  };
}

/** Enough for lines that are there to be read and arrive. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

it('reads no more lines of a workspace than it has room for, and answers all of them in order', async () => {
  const streams = [openStream(), openStream()];
  const names = streams.map((_, stream) =>
    Array.from({ length: 30 }, (_line, n) => `${stream}-${n}`),
  );
  streams.forEach((stream, index) => {
    for (const name of names[index] ?? []) stream.send(`${lineOf(name)}\n`);
    stream.end();
  });
  for (let stored = 0; stored < 60; stored += 1) {
    await until(async () => held.length > 0, 20_000, 1);
    // Before the first is stored, those that should not be read have time to show up.
    if (stored === 0) await manyTurns();
    held.shift()?.();
  }
  expect(await Promise.all(streams.map(({ ids }) => ids))).toEqual(names);
  expect(mostHeld * LINE_BYTES).toBe(ROOM_BYTES);
});

it('has all its room again when the client goes in the middle', async () => {
  const stream = openStream();
  for (let n = 0; n < 8; n += 1) stream.send(`${lineOf(`gone-${n}`)}\n`);
  stream.send(lineOf('unfinished').slice(0, 100));
  await until(async () => held.length === 5, 20_000, 1);
  stream.cut();
  // Those that were read before the end of the client was noticed are stored as well.
  await untilAllIsFree();
});

it('has all its room again when a stream is refused while a line is on its way', async () => {
  const stream = openStream();
  stream.send(`${lineOf('refused')}\n`);
  await until(async () => held.length === 1, 20_000, 1);
  held.shift()?.();
  await manyTurns();
  stream.send(`${lineOf('too-late')}\n`);
  stream.end();
  await stream.ids;
  expect(held).toEqual([]);
  await untilAllIsFree();
});

/** Stores what is held until nothing is. */
async function untilAllIsFree(): Promise<void> {
  const [workspace] = await api.db.selectFrom('workspace').select('id').execute();
  if (!workspace) throw new Error('There is no workspace.');
  let isIn = false;
  const entering = lineRoom.enter(workspace.id, { places: ROOM_BYTES }).then((leave) => {
    isIn = true;
    leave();
  });
  await until(
    async () => {
      for (const store of held.splice(0)) store();
      return isIn;
    },
    20_000,
    1,
  );
  await entering;
}

it('leaves room for the longest line of another workspace, whatever one sends', async () => {
  const maxDocumentBytes = 20_000_000;
  const longest = longestLineBytes(maxDocumentBytes) + 1;
  const room = openLineRoom(maxDocumentBytes);
  const [large, small] = ['large', 'small'] as unknown as [WorkspaceId, WorkspaceId];
  await room.enter(large, { places: longest });
  await room.enter(large, { places: longest });
  let isThirdIn = false;
  const third = room.enter(large, { places: longest }).then((leave) => {
    isThirdIn = true;
    return leave;
  });
  const leave = await room.enter(small, { places: longest });
  await manyTurns();
  expect(isThirdIn).toBe(false);
  leave();
  void third;
});

it('lets short lines through where documents may only be tiny', async () => {
  const room = openLineRoom(1);
  const workspace = 'tiny' as unknown as WorkspaceId;
  const leaves = await Promise.all(
    Array.from({ length: 1_000 }, () => room.enter(workspace, { places: 1_000 })),
  );
  expect(leaves).toHaveLength(1_000);
});
