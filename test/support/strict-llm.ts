import type { Dialect, Refusal, ScriptedAnswer } from './llm-dialects/dialect.ts';
import { IN_CONTENT_DIALECTS } from './llm-dialects/in-content.ts';
import { OPENAI_DIALECTS } from './llm-dialects/open-ai.ts';
import { REASONING_CONTENT_DIALECTS } from './llm-dialects/reasoning-content.ts';
import { REASONING_DIALECTS } from './llm-dialects/reasoning.ts';
import { SIGNED_DIALECTS } from './llm-dialects/signed.ts';
import { type LlmRequestBody, plays, type ScriptedLlm, startLlm } from './scripted-llm.ts';

/** Servers that behave as their vendors run them: each uses the recorded format and refuses what its vendor refuses. */
export const DIALECTS: readonly Dialect[] = [
  ...OPENAI_DIALECTS,
  ...REASONING_CONTENT_DIALECTS,
  ...SIGNED_DIALECTS,
  ...REASONING_DIALECTS,
  ...IN_CONTENT_DIALECTS,
];

export function dialectOf(server: string): Dialect {
  const dialect = DIALECTS.find((one) => one.server === server);
  if (dialect === undefined) throw new Error(`No dialect has the server ${server}.`);
  return dialect;
}

export interface StrictLlm extends ScriptedLlm {
  /** Its refusals, in its own words. */
  refused: string[];
}

/** A server of this dialect: it refuses as its vendor does, and answers accepted requests according to `plan`. */
export async function startStrictLlm(
  dialect: Dialect,
  plan: (body: LlmRequestBody, taken: number) => ScriptedAnswer,
): Promise<StrictLlm> {
  const server = dialect.open();
  const refused: string[] = [];
  let taken = 0;
  const llm = await startLlm((body) => {
    const refusal = server.refuse(body);
    if (refusal !== null) {
      refused.push(JSON.stringify(refusal.body));
      return (response) => answerRefusal(response, refusal);
    }
    const said = plan(body, taken);
    taken += 1;
    return plays(...server.play(said));
  });
  return Object.assign(llm, { refused });
}

function answerRefusal(
  response: Parameters<ReturnType<typeof plays>>[0],
  { status, body }: Refusal,
): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
