import { roleOf, session } from '#src/console/web/data/session.ts';
import { type NavEntry, NAVIGATION } from './routes.ts';

/** The entries that this person's role may use. The service refuses the others, whatever is shown. */
export function visibleEntries(): NavEntry[] {
  return NAVIGATION.flatMap(({ entries }) => entries.filter(isVisible));
}

export function isVisible(entry: NavEntry): boolean {
  const state = session.value;
  if (state.kind !== 'in') return false;
  if (entry.for === 'operator') {
    return (state.session.workspace?.is_operator ?? false) || roleOf(state) === 'observer';
  }
  return entry.for === 'everybody' || roleOf(state) === 'admin';
}

/** Whether an address belongs to an entry: itself and what is below it, unless another entry is nearer. */
export function belongsTo(at: string, { path: to }: NavEntry): boolean {
  const covers = (path: string): boolean => at === path || at.startsWith(`${path}/`);
  if (to === '/') return at === '/';
  if (!covers(to)) return false;
  const all = NAVIGATION.flatMap(({ entries }) => entries.map((entry) => entry.path));
  return !all.some((other) => other.length > to.length && covers(other));
}
