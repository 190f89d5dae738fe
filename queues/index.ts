import { bouncePoll } from './bounce-poll.ts';
import { chatSweep } from './chat-sweep.ts';
import { connectorDelete } from './connector-delete.ts';
import { connectorPrune } from './connector-prune.ts';
import { connectorSync } from './connector-sync.ts';
import { documentIndex } from './document-index.ts';
import { emailSend } from './email-send.ts';
import { emailVerify } from './email-verify.ts';
import { fileSweep } from './file-sweep.ts';
import { leadScrape } from './lead-scrape.ts';
import { outreachSweep } from './outreach-sweep.ts';
import type { AnyQueue } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { termFold } from './term-fold.ts';
import { userFile } from './user-file.ts';
import { vectorPromote } from './vector-promote.ts';
import { webhookDeliver } from './webhook-deliver.ts';
import { webhookSweep } from './webhook-sweep.ts';

/** Every queue. To add one: its file here, its line below, and `workers/<name>.ts`. */
export const QUEUES: readonly AnyQueue[] = [
  documentIndex,
  connectorSync,
  connectorPrune,
  connectorDelete,
  leadScrape,
  emailVerify,
  emailSend,
  bouncePoll,
  webhookDeliver,
  webhookSweep,
  outreachSweep,
  userFile,
  chatSweep,
  fileSweep,
  vectorPromote,
  termFold,
  reconcile,
];
