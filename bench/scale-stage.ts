import type { Target } from './ask-millrace.ts';
import { type ChildMillrace, startChildMillrace } from './child-millrace.ts';
import { type Feeder, startFeeder } from './feeder.ts';
import { openStores, type Stores } from './stores.ts';
import { createQuestioner } from './timed-searches.ts';
import { workspaceShares } from './workspace-shares.ts';
import { createWorkspace } from './workspaces.ts';

const WORKSPACES = 40;
const LARGEST_SHARE = 0.5;
/** Of the small ones neither the largest nor the smallest. */
const SMALL_WORKSPACE = WORKSPACES / 2;

/** A whole Millrace over empty stores, its workspaces, and what pushes into them. */
export interface ScaleStage extends AsyncDisposable {
  readonly target: ChildMillrace;
  readonly stores: Stores;
  readonly feeder: Feeder;
  readonly large: Target;
  readonly small: Target;
  /** Questions that were not asked before. */
  readonly ask: (count: number) => string[];
  readonly signal: AbortSignal;
  /** Seconds since the stage was opened. */
  readonly seconds: () => number;
}

export async function openScaleStage(bytes: number, signal: AbortSignal): Promise<ScaleStage> {
  await using opened = new AsyncDisposableStack();
  const target = opened.use(await startChildMillrace('src/main.ts'));
  const stores = opened.use(await openStores(target));
  const workspaces: { key: string; share: number }[] = [];
  for (const [index, share] of workspaceShares(WORKSPACES, LARGEST_SHARE).entries()) {
    const { adminKey: key } = await createWorkspace(target, `Workspace ${index}`);
    workspaces.push({ key, share });
  }
  const { url } = target;
  const feeder = opened.use(startFeeder({ url, workspaces, bytes }));
  const startedMs = performance.now();
  const at = (index: number): Target => ({ url, adminKey: workspaces[index]?.key ?? '' });
  const resources = opened.move();
  return {
    target,
    stores,
    feeder,
    large: at(0),
    small: at(SMALL_WORKSPACE),
    ask: createQuestioner(bytes),
    signal,
    seconds: () => (performance.now() - startedMs) / 1_000,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
