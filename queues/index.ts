import { connectorDelete } from './connector-delete.ts';
import { connectorPrune } from './connector-prune.ts';
import { connectorSync } from './connector-sync.ts';
import { documentIndex } from './document-index.ts';
import type { AnyQueue } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { termFold } from './term-fold.ts';
import { vectorPromote } from './vector-promote.ts';
import { webhookDeliver } from './webhook-deliver.ts';
import { webhookSweep } from './webhook-sweep.ts';

/** Every queue there is. A new one: its file here, its line below, and `workers/<name>.ts`. */
export const QUEUES: readonly AnyQueue[] = [
  documentIndex,
  connectorSync,
  connectorPrune,
  connectorDelete,
  webhookDeliver,
  webhookSweep,
  vectorPromote,
  termFold,
  reconcile,
];
