import { sql } from 'kysely';
import { type LeadSite, startLeadSite } from './lead-site.ts';
import { type OutboundStage, startOutboundStage } from './outbound-stage.ts';
import {
  callsTools,
  type LlmRequestBody,
  type LlmScript,
  plays,
  playsAndHangs,
  reasoningEvent,
  type ScriptedLlm,
  startLlm,
  textEvent,
  endEvents,
  toolCallEvents,
  toolResults,
} from './scripted-llm.ts';
import { until } from './until.ts';

/** How far an answer gets before it blocks. */
export interface AnswerStage {
  name: string;
  script: (body: LlmRequestBody, site: LeadSite) => LlmScript;
  /** Text in the stream at that point; null when only the ids have been sent. */
  sign: string | null;
  /** The text that is saved. */
  content: string;
}

const opens = (site: LeadSite) => [{ name: 'open_url', args: { urls: [`${site.url}/slow`] } }];

export const ANSWER_STAGES: readonly AnswerStage[] = [
  {
    name: 'before the model says anything',
    script: () => playsAndHangs(),
    sign: null,
    content: '',
  },
  {
    name: 'while the model thinks',
    script: () => playsAndHangs(reasoningEvent('Hm.')),
    sign: 'reasoning_delta',
    content: '',
  },
  {
    name: 'in the middle of its words',
    script: () => playsAndHangs(textEvent('Half an answer')),
    sign: 'message_delta',
    content: 'Half an answer',
  },
  {
    name: 'while a tool runs',
    script: (_, site) => callsTools(opens(site)),
    sign: 'open_url_urls',
    content: '',
  },
  {
    name: 'while a tool runs after some words',
    script: (_, site) =>
      plays(textEvent('I look.'), ...toolCallEvents(opens(site)), endEvents('tool_calls')),
    sign: 'open_url_urls',
    content: 'I look.',
  },
  {
    name: 'in the middle of its words after a tool',
    script: (body) =>
      toolResults(body).length === 0
        ? callsTools([{ name: 'internal_search', args: { queries: ['vpn'] } }])
        : playsAndHangs(textEvent('Half an answer')),
    sign: 'message_delta',
    content: 'Half an answer',
  },
  {
    name: 'in half a citation',
    script: () => playsAndHangs(textEvent('So it is [1')),
    sign: 'message_delta',
    content: 'So it is',
  },
];

/** A Millrace whose model and one of whose pages never respond. */
export interface DisconnectStage extends AsyncDisposable {
  readonly millrace: OutboundStage['millrace'];
  readonly llm: ScriptedLlm;
  readonly site: LeadSite;
  play(script: AnswerStage['script']): void;
  message(id: number): Promise<{ content: string; error: string | null; isFinished: boolean }>;
  /** Waits until no answer is being written, no model call is open and every run is closed. */
  quiet(): Promise<void>;
}

export async function startDisconnectStage(): Promise<DisconnectStage> {
  await using opened = new AsyncDisposableStack();
  let current: AnswerStage['script'] = () => playsAndHangs();
  const site = opened.use(await startLeadSite({ '/slow': () => undefined }));
  const llm = opened.use(await startLlm((body) => current(body, site)));
  const { millrace } = opened.use(
    await startOutboundStage([`${site.host}/32`], {
      LLM_BASE_URL: llm.baseUrl,
      LLM_MODEL: 'scripted',
      CHAT_RESUME_SECONDS: '0',
      OPEN_URL_POLICY: 'any',
    }),
  );
  const { db, answerRuns } = millrace.services;
  const resources = opened.move();
  return {
    millrace,
    llm,
    site,
    play: (script) => (current = script),
    async message(id) {
      const row = await db
        .selectFrom('chat_message')
        .select(['content', 'error', 'finished_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const { content, error, finished_at: finishedAt } = row;
      return { content, error, isFinished: finishedAt !== null };
    },
    async quiet() {
      await until(async () => llm.inProgress() === 0 && answerRuns.size === 0);
      await until(async () => {
        const { rows } = await sql`select 1 from chat_run where finished_at is null`.execute(db);
        return rows.length === 0;
      });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
