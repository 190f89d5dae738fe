import { setTimeout as wait } from 'node:timers/promises';
import type { Operation } from './chaos-script.ts';
import type { ChaosStage } from './chaos-stage.ts';

/** What a document may be: a version (from 1), or null when it is gone. */
export type DocumentState = number | null;

/** What is known of a document from the answers of the API. */
export interface KnownDocument {
  /** The last state that was acknowledged; it is gone at first. */
  acknowledged: DocumentState;
  /**
   * States of requests whose answer never came. Each may have been done, or may be done yet by a process that was
   * stopped while it held the request.
   */
  possible: Set<DocumentState>;
}

export interface Workload {
  documents: Map<string, KnownDocument>;
  acknowledged: number;
  /** Requests whose answer never came. */
  unknown: number;
  /** Answers that tell to come again later. */
  refused: number;
  /** Answers that no fault explains. */
  wrong: string[];
}

const REQUEST_TIMEOUT_MS = 6_000;
const RETRY_MS = 150;
/** Takes minutes, longer than any fault: a process that does not come back must not be asked forever. */
const MAX_TRIES = 1_000;
const FILLER = 'The miller writes each sack of grain into the book before the stone turns. ';

export const documentId = (document: number): string => `sack-${document}`;
/** The word that only this version has. */
export const wordOf = (document: number, version: number): string => `zq${document}v${version}x`;

/**
 * Works off the clients' operations beside each other. A client sends an operation again until it is acknowledged, each
 * time to the next API, as a producer does.
 */
export async function runWorkload(
  stage: ChaosStage,
  clients: readonly (readonly Operation[])[],
): Promise<Workload> {
  const workload: Workload = {
    documents: new Map(),
    acknowledged: 0,
    unknown: 0,
    refused: 0,
    wrong: [],
  };
  await Promise.all(clients.map((operations) => runClient(stage, operations, workload)));
  return workload;
}

async function runClient(
  stage: ChaosStage,
  operations: readonly Operation[],
  workload: Workload,
): Promise<void> {
  let tries = 0;
  for (const [index, { document, action, waitMs }] of operations.entries()) {
    await wait(waitMs);
    const id = documentId(document);
    const known = workload.documents.get(id) ?? { acknowledged: null, possible: new Set() };
    workload.documents.set(id, known);
    const state = action === 'delete' ? null : index + 1;
    for (let tried = 0; ; tried += 1) {
      if (tried === MAX_TRIES) {
        workload.wrong.push(`${action} of ${id} was never acknowledged`);
        return;
      }
      const url = stage.urls[tries % stage.urls.length] ?? '';
      tries += 1;
      const status = await send(url, stage.key, document, state);
      if (status === 200 || (status === 404 && state === null)) {
        known.acknowledged = state;
        workload.acknowledged += 1;
        break;
      }
      if (status === null) {
        known.possible.add(state);
        workload.unknown += 1;
      } else if (status === 429 || status === 503) workload.refused += 1;
      else workload.wrong.push(`${action} of ${id}: ${status}`);
      await wait(RETRY_MS);
    }
  }
}

/** @returns the status; null when no answer came */
async function send(
  url: string,
  key: string,
  document: number,
  state: DocumentState,
): Promise<number | null> {
  const id = documentId(document);
  const isDelete = state === null;
  try {
    const answer = await fetch(`${url}/service-api/ingestion${isDelete ? `/${id}` : ''}`, {
      method: isDelete ? 'DELETE' : 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(isDelete ? {} : { body: JSON.stringify(itemOf(document, state)) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null;
  }
}

function itemOf(document: number, version: number): object {
  const text = `${FILLER.repeat(20)}\n\nHere stands ${wordOf(document, version)}.`;
  return {
    document: {
      id: documentId(document),
      semantic_identifier: `Sack ${document}`,
      sections: [{ text }],
      metadata: {},
    },
  };
}
