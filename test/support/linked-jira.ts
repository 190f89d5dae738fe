import { sql } from 'kysely';
import type { CcPairId } from '#src/ids.ts';
import type { TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { insertLinkedPair, type TestServices } from './test-services.ts';

/** A pair that polls this Jira every minute. */
export function linkJira(test: TestServices, jira: TrackerFixture): Promise<CcPairId> {
  return insertLinkedPair(test, {
    source: 'tracker',
    settings: jira.settings,
    credential: jira.credential,
    refreshSeconds: 60,
  });
}

/** Sorted ids of the documents of a pair. */
export async function documentsOf({ services }: TestServices, pair: CcPairId): Promise<string[]> {
  const { rows } = await sql<{ external_id: string }>`
    select d.external_id from document d join document_cc_pair l on l.document_id = d.id
    where l.cc_pair_id = ${pair} and d.status <> 'deleting' order by 1`.execute(services.db);
  return rows.map((row) => row.external_id);
}
