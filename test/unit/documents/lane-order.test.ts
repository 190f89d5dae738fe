import { expect, it } from 'vitest';
import { SLICE_COST } from '#src/documents/claim-documents.ts';
import { createLaneOrder, type LaneOrder } from '#src/documents/lane-order.ts';
import type { WaitingLane } from '#src/documents/waiting-lanes.ts';
import type { WorkspaceId } from '#src/ids.ts';

/** `dueAt` in seconds; the lower it is, the longer the lane has waited. */
function lane(workspace: string, source: string, dueAt: number): WaitingLane {
  // The brand exists only at compile time.
  const workspaceId = workspace as WorkspaceId;
  return { workspace_id: workspaceId, source, due_at: new Date(dueAt * 1_000) };
}

function nameOf({ workspace_id: workspace, source }: WaitingLane): string {
  return `${workspace}/${source}`;
}

/** Each turn takes a whole slice from the first lane. */
function turns(order: LaneOrder, lanes: readonly WaitingLane[], count: number): string[] {
  return Array.from({ length: count }, () => {
    const [first] = order.next(lanes);
    if (!first) throw new Error('No lane got a turn.');
    order.charge(first, SLICE_COST);
    return nameOf(first);
  });
}

it('the lane order gives a workspace no extra turns for having many sources', () => {
  const lanes = [
    lane('a', 'web', 1),
    lane('a', 'wiki', 1),
    lane('a', 'file', 1),
    lane('b', 'web', 1),
  ];
  const had = turns(createLaneOrder(), lanes, 12);
  expect(had.filter((name) => name === 'b/web')).toHaveLength(6);
  for (const name of ['a/web', 'a/wiki', 'a/file']) {
    expect(had.filter((one) => one === name).length).toBeGreaterThanOrEqual(1);
  }
});

it('a pushed document goes before the crawl of its own workspace', () => {
  const order = createLaneOrder();
  const crawl = lane('a', 'web', 1);
  turns(order, [crawl], 20);
  expect(order.next([crawl, lane('a', 'ingestion_api', 50)]).map(nameOf)).toEqual([
    'a/ingestion_api',
  ]);
});

it('every fourth turn goes to the lane that has waited longest, even if new workspaces keep coming', () => {
  const order = createLaneOrder();
  const backlog = lane('large', 'web', 1);
  turns(order, [backlog], 20);
  const had = Array.from({ length: 40 }, (_, n) => {
    const visitors = [0, 1, 2].map((one) => lane(`visitor-${n}-${one}`, 'file', 100 + n));
    return turns(order, [backlog, ...visitors], 1)[0];
  });
  expect(had.filter((name) => name === 'large/web')).toHaveLength(10);
});

it('workspaces that have had no turn yet share one', () => {
  const lanes = Array.from({ length: 100 }, (_, n) => lane(`w-${n}`, 'file', n));
  expect(createLaneOrder().next(lanes).map(nameOf)).toEqual(lanes.slice(0, 64).map(nameOf));
});

it('no lane gets a turn when none is waiting', () => {
  expect(createLaneOrder().next([])).toEqual([]);
});
