import type { Route } from '#src/api/route.ts';
import { accountRoutes } from './accounts.ts';
import { chatRoutes } from './chat.ts';
import { healthRoutes } from './health.ts';
import { ingestionRoutes } from './ingestion.ts';
import { searchRoutes } from './search.ts';
import { workspaceRoutes } from './workspaces.ts';

/** Every endpoint there is. A new one: an entry in its resource's file; a new resource: its line here. */
export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...accountRoutes,
  ...workspaceRoutes,
  ...ingestionRoutes,
  ...searchRoutes,
  ...chatRoutes,
];
