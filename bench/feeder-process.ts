import { PUSHES } from './push-documents.ts';
import { VOCABULARY_SEED } from './search-questions.ts';
import { createDocuments } from './synthetic-documents.ts';
import { furthestBehind } from './workspace-shares.ts';

/** First message to the child. */
export interface FeederTask {
  url: string;
  /** Of each workspace: the key that pushes into it, and its share of the documents. */
  workspaces: { key: string; share: number }[];
  bytes: number;
}

/** Every later message to the child: so many more documents may be pushed. */
export interface FeederGrant {
  documents: number;
}

/** From the child after each push, which is done when all its documents are acknowledged. */
export interface FeederReport {
  documents: number;
}

const DOCUMENTS_PER_PUSH = 100;
const PUSHES_AT_ONCE = 4;

/** Pushes documents into the workspaces by their shares, as many as its parent allows. Ends with its parent. */
function feed({ url, workspaces, bytes }: FeederTask): (grant: FeederGrant) => void {
  const shares = workspaces.map(({ share }) => share);
  const sent = workspaces.map(() => 0);
  let allowed = 0;
  let running = 0;
  let batch = 0;
  const pushOne = async (count: number): Promise<void> => {
    const index = furthestBehind(shares, sent);
    sent[index] = (sent[index] ?? 0) + count;
    batch += 1;
    const items = createDocuments(count, bytes, {
      seed: batch,
      vocabularySeed: VOCABULARY_SEED,
      idPrefix: `scale-${batch}`,
    });
    const target = { url, adminKey: workspaces[index]?.key ?? '' };
    await PUSHES['one NDJSON stream']?.(
      target,
      items.map((item) => JSON.stringify(item)),
    );
    process.send?.({ documents: count } satisfies FeederReport);
  };
  const pushAllowed = async (): Promise<void> => {
    running += 1;
    while (allowed > 0) {
      const count = Math.min(DOCUMENTS_PER_PUSH, allowed);
      allowed -= count;
      await pushOne(count);
    }
    running -= 1;
  };
  return ({ documents }) => {
    allowed += documents;
    // A refused push ends the process with its message.
    while (running < PUSHES_AT_ONCE && allowed > 0) void pushAllowed();
  };
}

process.once('disconnect', () => process.exit(0));
// We own both ends of the channel.
process.once('message', (task) => process.on('message', feed(task as FeederTask) as never));
