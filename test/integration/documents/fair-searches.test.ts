import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const MANY = 300;
const NEVER = new AbortController().signal;

let stage: TestServices;
beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());

it('a search does not wait for hundreds of another workspace', async () => {
  const { services } = stage;
  const [many, one] = [
    await createWorkspace(services.db, { name: 'Many', planTier: 'Free' }),
    await createWorkspace(services.db, { name: 'One', planTier: 'Free' }),
  ];
  const ended: string[] = [];
  const search = async (owner: { workspaceId: WorkspaceId; userId: UserId }, name: string) => {
    const input = { query: 'harbour', filters: NO_FILTERS, limit: 10, signal: NEVER };
    await searchDocuments(services, { ...owner, ...input });
    ended.push(name);
  };
  const backlog = Array.from({ length: MANY }, () => search(many, 'many'));
  await Promise.all([...backlog, search(one, 'one')]);
  expect(ended).toHaveLength(MANY + 1);
  expect(ended.indexOf('one')).toBeLessThan(MANY / 2);
});
