import { signal } from '@preact/signals';
import type { Operations } from './api-types.ts';
import { call } from './call.ts';
import { type ApiProblem, toProblem } from './problem.ts';
import { clearStore } from './store.ts';

export type Session = Operations['GET /session']['reply'];
type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'out' }
  | { readonly kind: 'in'; readonly session: Session }
  | { readonly kind: 'unreachable'; readonly problem: ApiProblem };

/** Who is signed in. */
export const session = signal<SessionState>({ kind: 'unknown' });

export async function loadSession(): Promise<void> {
  try {
    enter(await call('GET /session'));
  } catch (error) {
    const problem = toProblem(error);
    session.value = problem.status === 401 ? { kind: 'out' } : { kind: 'unreachable', problem };
  }
}

/** After signing in, and after a change of workspace. */
export function enter(entered: Session): void {
  const before = session.peek();
  const isSame =
    before.kind === 'in' &&
    before.session.person.id === entered.person.id &&
    before.session.workspace?.id === entered.workspace?.id;
  if (!isSame) clearStore();
  session.value = { kind: 'in', session: entered };
}

export function leave(): void {
  if (session.peek().kind === 'out') return;
  clearStore();
  session.value = { kind: 'out' };
}

export async function signOut(): Promise<void> {
  await call('POST /auth/sign-out');
  leave();
}

export async function chooseWorkspace(workspaceId: string): Promise<void> {
  enter(await call('PUT /session/workspace', { body: { workspace_id: workspaceId } }));
}

/** What an endpoint requires; the service names those that this session may pass. */
export type Access = Session['workspace']['may'][number];

/** Whether the service lets this session do what needs such access: pages show nothing else. */
export function may(access: Access): boolean {
  const state = session.value;
  return state.kind === 'in' && state.session.workspace.may.includes(access);
}

/** The role in the chosen workspace; null when there is none. */
export function roleOf(state: SessionState): string | null {
  return state.kind === 'in' ? (state.session.workspace?.role ?? null) : null;
}
