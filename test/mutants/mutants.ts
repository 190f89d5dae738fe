import { billingMutants } from './billing.ts';
import { chatMutants } from './chat.ts';
import { connectorMutants } from './connectors.ts';
import { documentMutants } from './documents.ts';
import { lockMutants } from './locks.ts';
import type { Mutant } from './mutant.ts';
import { operationsMutants } from './operations.ts';
import { outreachMutants } from './outreach.ts';
import { platformMutants } from './platform.ts';
import { webhookMutants } from './webhooks.ts';

/** Written by hand, each where a fault would cost a user something. */
export const mutants: readonly Mutant[] = [
  ...documentMutants,
  ...connectorMutants,
  ...chatMutants,
  ...webhookMutants,
  ...billingMutants,
  ...outreachMutants,
  ...operationsMutants,
  ...platformMutants,
  ...lockMutants,
];
