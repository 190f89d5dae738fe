import { z } from 'zod';
import { findBootstrapWorkspace } from '#src/accounts/bootstrap-workspace.ts';
import { userFilePages } from '#src/chat/user-files/user-file-pages.ts';
import { pairPages, prunePages, runPages } from '#src/connectors/administration/pair-pages.ts';
import { documentPages } from '#src/documents/document-pages.ts';
import { messagePages } from '#src/email/administration/message-pages.ts';
import { scrapePages } from '#src/leads/scrapes/scrape-pages.ts';
import type { Database } from '#src/platform/database.ts';
import { isUuid } from '#src/platform/is-uuid.ts';
import type { PageRow } from '#src/platform/page-row.ts';
import type { JobSubject } from '#src/tables/operations.ts';
import { deliveryPages, endpointPages } from '#src/webhooks/administration/webhook-pages.ts';

/** What a job or failure is about, and the page that shows it. */
export interface ShownSubject extends JobSubject {
  /** Null when the row is gone. */
  workspace_id: string | null;
  /** Null when no page of the operator's workspace shows it. */
  page: JobSubject | null;
}

export const subjectSchema = z.object({
  kind: z.string(),
  id: z.string(),
  workspace_id: z.string().nullable().describe('Null when the row is gone.'),
  page: z
    .object({ kind: z.string(), id: z.string() })
    .nullable()
    .describe('The page that shows it; null when it is in another workspace or has no page.'),
});

/** Subjects looked up at once. */
const MAX_SUBJECTS = 1_000;

const isSmallNumber = (id: string): boolean => /^[0-9]{1,9}$/.test(id);
const isNumber = (id: string): boolean => /^[0-9]{1,18}$/.test(id);

/** Per kind: the query for its rows, the form of its ids, and the kind of page. */
const KINDS: Readonly<
  Record<
    string,
    {
      find: (db: Database, ids: readonly string[]) => Promise<PageRow[]>;
      isId: (id: string) => boolean;
      page: string;
    }
  >
> = {
  document: { find: documentPages, isId: isNumber, page: 'document' },
  connector: { find: pairPages, isId: isSmallNumber, page: 'connector' },
  run: { find: runPages, isId: isSmallNumber, page: 'connector' },
  prune: { find: prunePages, isId: isSmallNumber, page: 'connector' },
  endpoint: { find: endpointPages, isId: isUuid, page: 'endpoint' },
  delivery: { find: deliveryPages, isId: isNumber, page: 'delivery' },
  scrape: { find: scrapePages, isId: isUuid, page: 'scrape' },
  message: { find: messagePages, isId: isUuid, page: 'account' },
  file: { find: userFilePages, isId: isUuid, page: 'file' },
};

export type Resolve = (subject: JobSubject) => ShownSubject;

/**
 * Finds the pages of subjects, with one query per kind. Only rows of the operator's workspace have a page, because
 * pages show nothing of others.
 */
export async function resolveSubjects(
  db: Database,
  subjects: readonly JobSubject[],
): Promise<Resolve> {
  const own = await findBootstrapWorkspace(db);
  const found = new Map<string, ShownSubject>();
  for (const [kind, { find, isId, page }] of Object.entries(KINDS)) {
    const ids = new Set(
      subjects.flatMap((one) => (one.kind === kind && isId(one.id) ? one.id : [])),
    );
    if (ids.size === 0) continue;
    for (const row of await find(db, [...ids].slice(0, MAX_SUBJECTS))) {
      const isShown = row.workspace_id === own && row.page_id !== null;
      found.set(`${kind} ${row.id}`, {
        kind,
        id: row.id,
        workspace_id: row.workspace_id,
        page: isShown && row.page_id !== null ? { kind: page, id: row.page_id } : null,
      });
    }
  }
  return ({ kind, id }) =>
    found.get(`${kind} ${id}`) ?? { kind, id, workspace_id: null, page: null };
}
