import { setTimeout as wait } from 'node:timers/promises';
import { inParallel, request, type Target } from './ask-millrace.ts';
import { type Churn, createChurn } from './churn.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { createQuestioner } from './timed-searches.ts';
import { furthestBehind, workspaceShares } from './workspace-shares.ts';
import { createWorkspace } from './workspaces.ts';

const WORKSPACES = 8;
const LARGEST_SHARE = 0.5;
const DOCUMENTS = 5_000;
const ROUND_EVERY_MS = 500;
const SEARCH_EVERY_MS = 250;
const CHAT_EVERY_MS = 2_000;
const DELETES_AT_ONCE = 8;
/** Of the measured pace. Searches, deletions, webhooks and chats come on top, and a shared machine has slower minutes. */
const PACE_SHARE = 0.1;

/** What clients did since it was last taken. */
export interface LoadTally {
  pushed: number;
  deleted: number;
  /** Milliseconds until a request with new and changed documents was answered whole. */
  acceptMs: number[];
  searchMs: number[];
  chatMs: number[];
  /** Requests that were refused or cut. */
  failed: number;
}

export interface SoakLoad {
  /** Documents a second that are pushed, half of them new. */
  readonly pace: number;
  /** Runs until `isOver`. */
  run(isOver: () => boolean): Promise<void>;
  take(): LoadTally;
}

interface LoadedWorkspace {
  target: Target;
  share: number;
  churn: Churn;
}

/**
 * Fills eight workspaces, and measures thereby which pace is far below capacity. An endpoint for webhooks is told of what
 * is indexed in the second one.
 */
export async function prepareLoad(
  target: Target,
  options: { bytes: number; webhookUrl: string; signal: AbortSignal },
): Promise<SoakLoad> {
  const workspaces: LoadedWorkspace[] = [];
  for (const [index, share] of workspaceShares(WORKSPACES, LARGEST_SHARE).entries()) {
    const name = `Workspace ${index}`;
    const documents = Math.round(DOCUMENTS * share);
    workspaces.push({
      target: await createWorkspace(target, name),
      share,
      churn: createChurn({ name: `soak-${index}`, documents, bytes: options.bytes }),
    });
  }
  const [large, second] = workspaces;
  if (large === undefined || second === undefined) throw new Error('There are no workspaces.');
  const endpoint = { url: options.webhookUrl, event_types: ['document.indexed'] };
  await request(second.target, 'POST', '/webhook-endpoints', JSON.stringify(endpoint));
  const push = PUSHES['one NDJSON stream'] ?? fail('There is no push in lines.');
  let seconds = 0;
  for (const workspace of workspaces) {
    const times = await timePush(workspace.target, workspace.churn.first(), push);
    seconds += times.indexedSeconds;
  }
  const pace = Math.max(1, Math.round((PACE_SHARE * DOCUMENTS) / seconds));
  return startingWith(workspaces, { ...options, pace, searched: large.target });
}

function startingWith(
  workspaces: LoadedWorkspace[],
  options: { bytes: number; signal: AbortSignal; pace: number; searched: Target },
): SoakLoad {
  const { pace, signal, searched } = options;
  const ask = createQuestioner(options.bytes);
  let tally = emptyTally();
  const sent = workspaces.map(() => 0);
  const search = () =>
    request(searched, 'POST', '/search', JSON.stringify({ query: ask(1)[0] ?? 'nothing' }));
  const chat = () =>
    request(
      searched,
      'POST',
      '/chat/send-message-simple-api',
      JSON.stringify({ message: `What about ${ask(1)[0] ?? 'it'}?`, persona_id: 0 }),
    );
  const round = async () => {
    const index = furthestBehind(
      workspaces.map(({ share }) => share),
      sent,
    );
    const count = Math.max(1, Math.round((pace * ROUND_EVERY_MS) / 2_000));
    sent[index] = (sent[index] ?? 0) + count;
    const pushed = await churnOnce(workspaces[index] ?? fail('There is no workspace.'), count);
    tally.pushed += pushed.documents;
    tally.deleted += count;
    tally.acceptMs.push(pushed.acceptMs);
  };
  return {
    pace,
    async run(isOver) {
      const repeat = (intervalMs: number, work: () => Promise<void>) =>
        every(intervalMs, { isOver, signal }, () =>
          work().catch((error: unknown) => {
            tally.failed += 1;
            console.log(`A request failed: ${String(error)}`);
          }),
        );
      await Promise.all([
        repeat(ROUND_EVERY_MS, round),
        repeat(SEARCH_EVERY_MS, async () => {
          tally.searchMs.push(await timed(search));
        }),
        repeat(CHAT_EVERY_MS, async () => {
          tally.chatMs.push(await timed(chat));
        }),
      ]);
    },
    take() {
      const taken = tally;
      tally = emptyTally();
      return taken;
    },
  };
}

async function churnOnce(
  { target, churn }: LoadedWorkspace,
  count: number,
): Promise<{ documents: number; acceptMs: number }> {
  const { pushed, deletedIds } = churn.next(count, count);
  const lines = pushed.map((item) => JSON.stringify(item));
  const push = PUSHES['one NDJSON stream'] ?? fail('There is no push in lines.');
  const acceptMs = await timed(() => push(target, lines));
  await inParallel(DELETES_AT_ONCE, deletedIds, (id) =>
    request(target, 'DELETE', `/service-api/ingestion/${id}`),
  );
  return { documents: pushed.length, acceptMs };
}

/** Begins `work` at even intervals, or when the one before is done if that is later. */
async function every(
  intervalMs: number,
  { isOver, signal }: { isOver: () => boolean; signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  let dueMs = performance.now();
  while (!isOver()) {
    await wait(Math.max(0, dueMs - performance.now()), undefined, { signal });
    await work();
    dueMs = Math.max(dueMs + intervalMs, performance.now());
  }
}

function emptyTally(): LoadTally {
  return { pushed: 0, deleted: 0, acceptMs: [], searchMs: [], chatMs: [], failed: 0 };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function fail(reason: string): never {
  throw new Error(reason);
}
