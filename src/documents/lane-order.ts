import type { WorkspaceId } from '#src/ids.ts';
import { SLICE_COST } from './claim-documents.ts';
import { createFairOrder, type FairOrder } from '#src/platform/fair-order.ts';
import type { LaneCursor, WaitingLane } from './waiting-lanes.ts';

/** After this many turns of others in a row, the lane that has waited longest gets one, whatever it has received. */
const MAX_PASSED_OVER = 3;
/** Maximum number of lanes in one turn. */
const MAX_LANES_IN_TURN = 64;
const MAX_WORKSPACES = 10_000;

/** Shares turns among workspaces, and within a workspace among its sources, by the cost of their documents. */
export interface LaneOrder {
  /** The lanes whose turn it is, in order. */
  next(lanes: readonly WaitingLane[]): WaitingLane[];
  /** Records that a document of the lane was claimed. */
  charge(lane: LaneCursor, cost: number): void;
}

export function createLaneOrder(): LaneOrder {
  const workspaces = createFairOrder<WorkspaceId>(SLICE_COST);
  const sources = new Map<WorkspaceId, FairOrder<string>>();
  let passedOver = 0;

  const sourcesOf = (workspaceId: WorkspaceId): FairOrder<string> => {
    const known = sources.get(workspaceId);
    if (known) return known;
    if (sources.size >= MAX_WORKSPACES) sources.clear();
    const order = createFairOrder<string>(SLICE_COST);
    sources.set(workspaceId, order);
    return order;
  };

  const nextLanes = (lanes: readonly WaitingLane[]): WaitingLane[] => {
    const byWorkspace = Map.groupBy(lanes, (lane) => lane.workspace_id);
    return workspaces.next([...byWorkspace.keys()]).flatMap((workspaceId) => {
      const own = byWorkspace.get(workspaceId) ?? [];
      const bySource = new Map(own.map((lane) => [lane.source, lane]));
      return sourcesOf(workspaceId)
        .next([...bySource.keys()])
        .flatMap((source) => bySource.get(source) ?? []);
    });
  };

  return {
    next(lanes) {
      const [oldest, ...others] = lanes.toSorted(byDueTime);
      if (!oldest) return [];
      const chosen = nextLanes([oldest, ...others]).slice(0, MAX_LANES_IN_TURN);
      passedOver = chosen.includes(oldest) ? 0 : passedOver + 1;
      if (passedOver <= MAX_PASSED_OVER) return chosen;
      passedOver = 0;
      return [oldest];
    },
    charge({ workspace_id, source }, cost) {
      workspaces.charge(workspace_id, cost);
      sourcesOf(workspace_id).charge(source, cost);
    },
  };
}

function byDueTime(a: WaitingLane, b: WaitingLane): number {
  return a.due_at.getTime() - b.due_at.getTime();
}
