import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ApiClient } from './api-client.ts';

const FIXTURE = new URL('../fixtures/answers/', import.meta.url);

const labelledQuestion = z.object({
  question: z.string(),
  /** Ids of the documents with the answer; empty when there is none. */
  documents: z.array(z.string()),
  /** A pattern that a right answer matches. */
  fact: z.string(),
  /** Questions of the same session before it. */
  before: z.array(z.string()).default([]),
});
export type LabelledQuestion = z.output<typeof labelledQuestion>;
const questionsSchema = z.object({
  answerable: z.array(labelledQuestion),
  unanswerable: z.array(z.string()),
  followUps: z.array(labelledQuestion),
});

/** The handbook of an invented company, with questions about it and about other topics. */
export const LABELLED = questionsSchema.parse(
  JSON.parse(readFileSync(new URL('questions.json', FIXTURE), 'utf8')),
);

export interface LabelledDocument {
  id: string;
  title: string;
  text: string;
}

export const HANDBOOK: readonly LabelledDocument[] = readdirSync(new URL('documents/', FIXTURE))
  .toSorted()
  .map((id) => {
    const text = readFileSync(new URL(`documents/${id}`, FIXTURE), 'utf8');
    return { id, title: /^# (.+)/.exec(text)?.[1] ?? id, text };
  });

const answerSchema = z.object({
  answer: z.string(),
  top_documents: z.array(z.object({ document_id: z.string() })),
  citation_info: z.array(z.object({ citation_number: z.int(), document_id: z.string() })),
  message_id: z.int(),
  chat_session_id: z.string(),
});
export type Answered = z.output<typeof answerSchema>;

/** Pushes documents, which are searchable once nothing is waiting. @throws when one is refused */
export async function pushLabelled(
  client: Pick<ApiClient, 'call'>,
  labelled: readonly LabelledDocument[],
): Promise<void> {
  const documents = labelled.map(({ id, title, text }) => ({
    document: { id, semantic_identifier: title, sections: [{ text }], source: 'file' },
  }));
  const { body, text } = await client.call('POST', '/service-api/ingestion/batch', { documents });
  if (body?.failed !== 0) throw new Error(`A document was refused: ${text}`);
}

/** Asks in a new session, after the preceding questions. */
export async function askLabelled(
  client: Pick<ApiClient, 'call'>,
  question: string,
  before: readonly string[] = [],
): Promise<Answered> {
  let session: string | null = null;
  let answered: Answered | null = null;
  for (const message of [...before, question]) {
    const place = session === null ? {} : { chat_session_id: session };
    const { text } = await client.call('POST', '/chat/send-chat-message', {
      message,
      stream: false,
      ...place,
    });
    answered = answerSchema.parse(JSON.parse(text));
    session = answered.chat_session_id;
  }
  if (answered === null) throw new Error('Nothing was asked.');
  return answered;
}

export interface Judged {
  question: string;
  isRefused: boolean;
  /** Whether the first cited document is a labelled one or, for a question without one, the answer cites nothing. */
  isRightFirst: boolean;
  hasFact: boolean;
}

export function judge(
  { question, documents, fact }: LabelledQuestion,
  { answer, citation_info }: Answered,
): Judged {
  const isRefused = citation_info.length === 0;
  const first = citation_info[0]?.document_id;
  const isRightFirst = first === undefined ? documents.length === 0 : documents.includes(first);
  const hasFact = !isRefused && documents.length > 0 && new RegExp(fact, 'i').test(answer);
  return { question, isRefused, isRightFirst, hasFact };
}
