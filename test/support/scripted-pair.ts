import { sql } from 'kysely';
import { expect } from 'vitest';
import { z } from 'zod';
import {
  type AnyConnector,
  type ConnectorDocument,
  type ConnectorFailure,
  type ConnectorPage,
  defineConnector,
  pageOf,
  type PollContext,
} from '#src/connectors/source/connector.ts';
import { CONNECTORS } from '#src/connectors/kinds/registry.ts';
import { requestRun } from '#src/connectors/runs/request-run.ts';
import { syncConnector } from '#src/connectors/runs/sync-connector.ts';
import type { CcPairId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { insertLinkedPair, type TestServices } from './test-services.ts';

const never = new AbortController().signal;
const REFRESH_SECONDS = 60;

type Page = ConnectorPage<number>;

/** What the source returns next. */
export interface Script {
  poll: (from: number | null, context: PollContext, settings: Settings) => AsyncIterable<Page>;
  fetchAgain: (ids: readonly string[]) => AsyncIterable<Omit<Page, 'checkpoint'>>;
  listIds: () => AsyncIterable<string[]>;
}

const settingsSchema = z.strictObject({ folder: z.string() });
type Settings = z.output<typeof settingsSchema>;

export interface RunRow {
  id: number;
  status: string;
  from_beginning: boolean;
  poll_range_start: Date | null;
  fetched: number;
  accepted: number;
  created: number;
  unchanged: number;
  skipped: number;
  failed: number;
  outages: number;
  resumed_from: number | null;
  waiting_for: string | null;
  next_attempt_at: Date | null;
}

/** A pair whose source is scripted by the test. */
export interface ScriptedPair {
  readonly pair: CcPairId;
  readonly which: { workspaceId: TestServices['workspaceId']; ccPairId: CcPairId };
  readonly script: Script;
  /** A unique id for this test. */
  named(name: string): string;
  document(name: string, text?: string): ConnectorDocument;
  failure(name: string): ConnectorFailure;
  /** Its runs so far; checks that their counters add up. */
  runs(): Promise<RunRow[]>;
  /** Ids of the test's existing documents, in the pair or anywhere. */
  documents(where: 'pair' | 'anywhere'): Promise<string[]>;
  request(fromBeginning?: boolean): Promise<unknown>;
  nextRun(): Promise<void>;
  nextRunAt(): Promise<number>;
  setFolder(folder: string): Promise<void>;
}

let count = 0;

export async function linkScripted(test: TestServices): Promise<ScriptedPair> {
  const { services, workspaceId } = test;
  const { db } = services;
  count += 1;
  const prefix = `scripted:${count}:`;
  const script: Script = { poll: pages([]), fetchAgain: nothing, listIds: nothing };
  addToRegistry(script);
  const pair = await insertLinkedPair(test, {
    source: `scripted_${count}`,
    settings: { folder: 'first' },
    credential: null,
    refreshSeconds: REFRESH_SECONDS,
  });
  const which = { workspaceId, ccPairId: pair };
  const named = (name: string): string => `${prefix}${name}`;
  const request = (fromBeginning = false) =>
    requestRun(services, { ...which, fromBeginning, requestId: null });
  return {
    pair,
    which,
    script,
    named,
    document: (name, text = `Text of ${name}.`) => documentOf(named(name), name, text),
    failure: (name) => ({
      documentId: named(name),
      link: null,
      entityId: null,
      reason: 'It is broken.',
    }),
    async runs() {
      const { rows } = await sql<RunRow>`
        select * from index_attempt where cc_pair_id = ${pair} order by id`.execute(db);
      for (const row of rows) {
        expect(row.fetched).toBe(row.accepted + row.unchanged + row.skipped + row.failed);
      }
      return rows;
    },
    async documents(where) {
      const { rows } = await sql<{ external_id: string }>`
        select d.external_id from document d where d.external_id like ${`${prefix}%`}
          and d.status <> 'deleting' and (${where === 'anywhere'} or exists (
            select 1 from document_cc_pair l where l.document_id = d.id and l.cc_pair_id = ${pair}))
        order by 1`.execute(db);
      return rows.map(({ external_id }) => external_id);
    },
    request,
    async nextRun() {
      await request();
      await syncConnector(services, pair, never);
    },
    async nextRunAt() {
      const { rows } = await sql<{ next_run_at: Date | null }>`
        select next_run_at from cc_pair where id = ${pair}`.execute(db);
      return rows[0]?.next_run_at?.getTime() ?? 0;
    },
    async setFolder(folder) {
      await sql`update connector set settings = ${JSON.stringify({ folder })}::json
        where id = (select connector_id from cc_pair where id = ${pair})`.execute(db);
    },
  };
}

/** A poll with these pages, which resumes after the checkpoint. */
export function pages(all: Partial<Page>[]): Script['poll'] {
  return async function* poll(from) {
    for (const [index, page] of all.entries()) {
      if (index >= (from ?? 0)) yield pageOf({ checkpoint: index + 1, description: '', ...page });
    }
  };
}

/** Services in which something happens once, before or after the first document is accepted. */
export function interrupted(
  services: Services,
  when: 'before' | 'after',
  what: () => Promise<unknown>,
): Services {
  let happened = false;
  const happen = async (): Promise<void> => {
    if (happened) return;
    happened = true;
    await what();
  };
  const { documentAcceptor } = services;
  return {
    ...services,
    documentAcceptor: {
      ...documentAcceptor,
      async accept(incoming) {
        if (when === 'before') await happen();
        const accepted = await documentAcceptor.accept(incoming);
        if (when === 'after') await happen();
        return accepted;
      },
    },
  };
}

async function* nothing(): AsyncGenerator<never> {}

function addToRegistry(script: Script): void {
  const connector = defineConnector<Settings, object, number>({
    kind: `scripted_${count}`,
    aliases: [],
    title: 'Scripted',
    summary: 'What a test says.',
    settings: settingsSchema,
    credential: z.strictObject({}),
    checkpoint: z.number(),
    limits: { concurrentRequests: 1, requestsPerSecond: null, documentsPerPage: 100 },
    defaultRefreshSeconds: REFRESH_SECONDS,
    check: () => Promise.resolve(),
    poll: (settings, _credential, from, context) => script.poll(from, context, settings),
    fetchAgain: (_settings, _credential, ids) => script.fetchAgain(ids),
    listIds: () => script.listIds(),
  });
  // The list is read-only except for tests of the engine, each of which runs in its own process.
  (CONNECTORS as AnyConnector[]).push(connector);
}

function documentOf(id: string, name: string, text: string): ConnectorDocument {
  return {
    id,
    semanticIdentifier: name,
    title: null,
    sections: [{ text, link: null }],
    metadata: {},
    updatedAt: null,
    primaryOwners: [],
    secondaryOwners: [],
    source: 'scripted',
  };
}
