import type { Database } from '#src/platform/database.ts';
import { openGate, throughGate } from '#src/platform/gate.ts';
import { type Claim, claimDocuments, NO_CLAIM } from './claim-documents.ts';
import { createLaneOrder } from './lane-order.ts';
import { type LaneCursor, listWaitingLanes, type WaitingLane } from './waiting-lanes.ts';

/** Lanes that turn out to have nothing that this worker may take are passed over, so often in one turn. */
const MAX_TRIES = 8;

/** Says whose documents the workers of this process index next. */
export interface IndexTurns {
  /** The documents of the next turn, claimed; none when nothing is due that may be taken now. */
  next(): Promise<Claim>;
}

/**
 * What was given to whom is known to this process alone: other processes keep books of their own, and one that forgets
 * all of it does no more than begin a new round.
 * @param places how many turns run at once; one of them is kept for turns that are not long
 */
export function createIndexTurns(db: Database, places: number): IndexTurns {
  const order = createLaneOrder();
  // One claim after the other, so that each knows what the one before it was given.
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
