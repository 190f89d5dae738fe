import { may } from '#src/console/web/data/session.ts';
import { type NavEntry, NAVIGATION, VIEWS } from './routes.ts';

/** The entries whose pages this session may use. The service refuses the others, whatever is shown. */
export function visibleEntries(): NavEntry[] {
  return NAVIGATION.flatMap(({ entries }) => entries.filter(isVisible));
}

export function isVisible({ path }: NavEntry): boolean {
  const needs = VIEWS.find((view) => view.path === path)?.needs ?? null;
  return needs === null || may(needs);
}

/** Where somebody begins who may not see the overview: an observer at the queues, a pusher of documents at those. */
export function firstPath(): string {
  return visibleEntries()[0]?.path ?? '/settings/profile';
}

/** Whether an address belongs to an entry: itself and what is below it, unless another entry is nearer. */
export function belongsTo(at: string, { path: to }: NavEntry): boolean {
  const covers = (path: string): boolean => at === path || at.startsWith(`${path}/`);
  if (to === '/') return at === '/';
  if (!covers(to)) return false;
  const all = NAVIGATION.flatMap(({ entries }) => entries.map((entry) => entry.path));
  return !all.some((other) => other.length > to.length && covers(other));
}
