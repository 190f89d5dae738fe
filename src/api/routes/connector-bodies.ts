import {
  countRuns,
  listPrunes,
  listRunErrors,
  listRuns,
} from '#src/connectors/administration/pair-attempts.ts';
import { findPair, findPairId, listPairs } from '#src/connectors/administration/pair-status.ts';
import {
  presentPrune,
  presentRun,
  presentRunError,
} from '#src/connectors/administration/present-attempt.ts';
import { presentPair, presentPairStatus } from '#src/connectors/administration/present-pair.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

type Reading = Pick<Services, 'db' | 'secrets' | 'clock'>;

/** A pair as an address names it. */
interface Named {
  workspaceId: WorkspaceId;
  id: number;
}

interface PageQuery {
  page_num: number;
  page_size: number;
}

/** `GET /manage/admin/connector/status`, which the live topic `connectors` sends, too. */
export async function pairsBody({ db, secrets }: Reading, workspaceId: WorkspaceId) {
  const pairs = await listPairs(db, workspaceId);
  return pairs.map((pair) => presentPairStatus(secrets, pair));
}

/** `GET /manage/admin/cc-pair/{id}`. @throws Problem NOT_FOUND */
export async function pairBody(
  { db, secrets, clock }: Reading,
  workspaceId: WorkspaceId,
  id: number,
) {
  const pair = await findPair(db, workspaceId, id);
  return presentPair(secrets, pair, { runs: await countRuns(db, pair.id), now: clock() });
}

/** `GET /manage/admin/cc-pair/{id}/index-attempts`. @throws Problem NOT_FOUND */
export async function runsBody(
  { db, clock }: Reading,
  { workspaceId, id }: Named,
  query: PageQuery,
) {
  const pairId = await findPairId(db, workspaceId, id);
  const { items, total } = await listRuns(db, pairId, toPage(query));
  const now = clock();
  return { items: items.map((run) => presentRun(run, now)), total_items: total };
}

/** `GET /manage/admin/cc-pair/{id}/errors`. @throws Problem NOT_FOUND */
export async function errorsBody(
  { db }: Reading,
  { workspaceId, userId, id }: Named & { userId: UserId },
  { include_resolved = false, ...query }: PageQuery & { include_resolved?: boolean },
) {
  const { items, total } = await listRunErrors(db, await findPairId(db, workspaceId, id), {
    userId,
    includeResolved: include_resolved,
    page: toPage(query),
  });
  return { items: items.map(presentRunError), total_items: total };
}

/** `GET /manage/admin/cc-pair/{id}/prune-attempts`. @throws Problem NOT_FOUND */
export async function prunesBody({ db }: Reading, { workspaceId, id }: Named, query: PageQuery) {
  const pairId = await findPairId(db, workspaceId, id);
  const { items, total } = await listPrunes(db, pairId, toPage(query));
  return { items: items.map(presentPrune), total_items: total };
}

export function toPage({ page_num, page_size }: PageQuery) {
  return { number: page_num, size: page_size };
}
