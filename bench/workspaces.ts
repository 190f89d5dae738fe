import { request, type Target } from './ask-millrace.ts';

/** Makes a workspace of the largest plan. @returns the target with the key of its administrator */
export async function createWorkspace({ url, adminKey }: Target, name: string): Promise<Target> {
  const body = JSON.stringify({ name, plan_tier: 'Enterprise' });
  const answer = await request({ url, adminKey }, 'POST', '/manage/admin/workspaces', body);
  return { url, adminKey: (answer as { api_key: string }).api_key };
}
