import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CONSOLE_TYPES_PATH, generateConsoleTypes } from '#test/support/console-types.ts';

test('the endpoints that pages name exist, and their types match; regenerate them with `npm run client:types`', async () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const written = readFileSync(resolve(root, CONSOLE_TYPES_PATH), 'utf8');
  expect(written).toBe(await generateConsoleTypes());
});
