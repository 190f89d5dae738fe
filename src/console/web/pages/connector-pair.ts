import type { Reply } from '#src/console/web/data/call.ts';
import { refresh } from '#src/console/web/data/store.ts';

/** A connector with its credential. */
export type Pair = Reply<'GET /manage/admin/cc-pair/{id}'>;

export const reloadConnector = (): Promise<void> =>
  refresh(
    'GET /manage/admin/cc-pair/{id}',
    'GET /manage/admin/cc-pair/{id}/index-attempts',
    'GET /manage/admin/cc-pair/{id}/errors',
    'GET /manage/admin/cc-pair/{id}/prune-attempts',
    'GET /manage/admin/connector/status',
  );
