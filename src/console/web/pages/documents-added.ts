import { useState } from 'preact/hooks';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { toProblem } from '#src/console/web/data/problem.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { section } from '#src/console/web/parts/page.ts';

type Document = Reply<'GET /service-api/ingestion/{document_id}'>;

/** A document that was added here, or a file that was refused. */
export interface Added {
  readonly name: string;
  /** Null for a file that was refused. */
  readonly documentId: string | null;
  readonly isUpdate: boolean;
  readonly status: Document['status'];
  /** Why it failed or was refused. */
  readonly reason: string | null;
}

const MAX_SHOWN = 100;
/** What a stream takes beside the figures of the page; further documents are followed as these end. */
const MAX_TOPICS = 9;
const MAX_TOPICS_LENGTH = 6_500;

/** What was added here, and the topics that follow it until it is searchable. */
export function useAdded() {
  const [added, setAdded] = useState<readonly Added[]>([]);
  const tell = ({ document_id: id, status, error }: Told): void =>
    setAdded((before) =>
      before.map((one) => (one.documentId === id ? { ...one, status, reason: error } : one)),
    );
  const ids = followed(added);
  return {
    added,
    add: (more: readonly Added[]): void =>
      setAdded((before) => [...more, ...before].slice(0, MAX_SHOWN)),
    clear: (): void => setAdded([]),
    topics: Object.fromEntries(
      ids.map((id) => [
        topicOf(id),
        (told: unknown): void => tell((told as { document: Document }).document),
      ]),
    ),
    /** For when the stream cannot tell, or tells that one is gone. */
    look: async (): Promise<void> => {
      for (const latest of await Promise.all(ids.map(latestOf))) if (latest !== null) tell(latest);
    },
  };
}

type Told = Pick<Document, 'document_id' | 'status' | 'error'>;

const topicOf = (id: string): string => `document:${encodeURIComponent(id)}`;

/** The ids of those on their way, the latest first, as far as a stream takes them. */
function followed(added: readonly Added[]): string[] {
  const ids = new Set<string>();
  let length = 0;
  for (const { documentId: id, status } of added) {
    if (id === null || ids.has(id) || status === 'indexed' || status === 'failed') continue;
    length += topicOf(id).length + 1;
    if (ids.size === MAX_TOPICS || length > MAX_TOPICS_LENGTH) break;
    ids.add(id);
  }
  return [...ids];
}

/** Null when it cannot be read; the page says why. */
async function latestOf(id: string): Promise<Told | null> {
  try {
    return await call('GET /service-api/ingestion/{document_id}', { path: { document_id: id } });
  } catch (error) {
    const isGone = toProblem(error).status === 404;
    return isGone ? { document_id: id, status: 'failed', error: 'It was deleted.' } : null;
  }
}

export function addedSection(added: readonly Added[], clear: () => void): Part {
  return section({
    title: 'Just added',
    actions: button({ text: 'Close the list', look: 'tiny', run: clear }),
    content: html`<ul class="plain-list stack tight" aria-live="polite">
      ${added.map((one, index) => html`<${Row} key=${`${added.length - index} ${one.name}`} ...${one} />`)}
    </ul>`,
  });
}

function Row({ name, documentId, isUpdate, status, reason }: Added): Part {
  const note = reason ?? (isUpdate ? 'replaces the one of before' : null);
  return html`<li class="row apart">
    <span class="said">
      ${
        documentId === null
          ? html`<strong>${name}</strong>`
          : html`<a href=${link(`/documents/${encodeURIComponent(documentId)}`)}>${name}</a>`
      }
      ${note !== null && html` <span class="small ${documentId === null ? 'bad' : 'muted'}">${note}</span>`}
    </span>
    ${badge(status)}
  </li>`;
}
