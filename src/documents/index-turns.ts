import type { Database } from '#src/platform/database.ts';
import { openGate, throughGate } from '#src/platform/gate.ts';
import { type Claim, claimDocuments, NO_CLAIM } from './claim-documents.ts';
import { createLaneOrder } from './lane-order.ts';
import { type LaneCursor, listWaitingLanes, type WaitingLane } from './waiting-lanes.ts';

/** How often one turn may skip lanes that prove to have nothing for this worker. */
const MAX_TRIES = 8;

/** Decides which documents the workers of this process index next. */
export interface IndexTurns {
  /** Claims the documents of the next turn; an empty claim when none is due that may be claimed now. */
  next(): Promise<Claim>;
}

/**
 * Each process counts its own turns, in memory only: after a restart it merely begins a new round.
 * @param places how many turns run at once; one is reserved for turns that are not long
 */
export function createIndexTurns(db: Database, places: number): IndexTurns {
  const order = createLaneOrder();
  // One claim at a time, so that each takes the previous ones into account.
  const enter = openGate(1);
  let longPlaces = Math.max(1, places - 1);
  let cursor: LaneCursor | null = null;

  const claimFrom = async (lanes: readonly WaitingLane[]): Promise<Claim> => {
    const claim = await claimDocuments(db, lanes, { mayBeLong: longPlaces > 0 });
    for (const document of claim.documents) order.charge(document, document.cost);
    if (!claim.isLong) return claim;
    longPlaces -= 1;
    return {
      ...claim,
      async [Symbol.asyncDispose]() {
        longPlaces += 1;
        await claim[Symbol.asyncDispose]();
      },
    };
  };

  const next = async (): Promise<Claim> => {
    const listed = await listWaitingLanes(db, cursor);
    cursor = listed.next;
    let left = listed.lanes;
    for (let tries = 0; left.length > 0 && tries < MAX_TRIES; tries += 1) {
      const lanes = order.next(left);
      const claim = await claimFrom(lanes);
      if (claim.documents.length > 0) return claim;
      left = left.filter((lane) => !lanes.includes(lane));
    }
    return NO_CLAIM;
  };
  return { next: () => throughGate(enter, next) };
}
