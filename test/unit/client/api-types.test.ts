import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import type { Packet } from '#src/client/api-types.ts';
import type { Packet as CheckedPacket } from '#src/client/packets.ts';
import { CLIENT_TYPES_PATH, generateClientTypes } from '#test/support/client-types.ts';

test('the client types match the OpenAPI description; regenerate them with `npm run client:types`', async () => {
  const written = readFileSync(resolve(import.meta.dirname, '../../..', CLIENT_TYPES_PATH), 'utf8');
  expect(written).toBe(await generateClientTypes());
});

test('a packet accepted by its schema has a type of the description', () => {
  expectTypeOf<CheckedPacket['obj']>().toExtend<Packet['obj']>();
});
