import { useRef } from 'preact/hooks';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { go, link } from '#src/console/web/data/place.ts';
import { may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { shortId } from '#src/console/web/parts/copy.ts';
import { confirm } from '#src/console/web/parts/dialog.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, duration } from '#src/console/web/parts/number.ts';
import { facts, known, liveMark, notice, page } from '#src/console/web/parts/page.ts';
import { outsideLink } from '#src/console/web/parts/outside-link.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { chunkList } from './document-chunks.ts';

type Document = Reply<'GET /service-api/ingestion/{document_id}'>;
/** What the topic of a document tells. */
interface Told {
  readonly document: Document;
  readonly why: Reply<'GET /documents/{document_id}/why'>;
}

const reload = (): Promise<void> =>
  refresh('GET /service-api/ingestion/{document_id}', 'GET /documents/{document_id}/why');

/** Is this document searchable, and why not? */
export function DocumentPage({ id = '' }: { id?: string }): Part {
  const which = { path: { document_id: id } };
  const document = useResource('GET /service-api/ingestion/{document_id}', which);
  const { data } = document;
  const shown = useRef<number | null>(null);
  const take = (told: unknown): void => {
    // The stream has the shape of the description, which says what this topic tells.
    const latest = told as Told;
    put('GET /service-api/ingestion/{document_id}', which, latest.document);
    put('GET /documents/{document_id}/why', which, latest.why);
    const { indexed_revision: indexed } = latest.document;
    if (shown.current !== null && shown.current !== indexed)
      void refresh('GET /service-api/ingestion/{document_id}/chunks');
    shown.current = indexed;
  };
  useLive({ [`document:${encodeURIComponent(id)}`]: take }, reload);
  const list = may('ingest')
    ? { text: 'Documents', href: link('/documents') }
    : { text: 'Ask', href: link('/ask') };
  return page({
    title: data?.semantic_identifier ?? 'Document',
    under: list,
    badge: data && badge(data.status),
    actions: data && [liveMark(), may('ingest') && actions(data)],
    content: [
      known(document, (found) => [html`<${WhyNot} id=${id} />`, standing(found)], reload, list),
      data && data.indexed_revision !== null && chunkList(data.document_id),
    ],
  });
}

/** In the service's own sentence, which knows about pauses and workers too. */
function WhyNot({ id }: { id: string }): Part {
  const { data, problem } = useResource('GET /documents/{document_id}/why', {
    path: { document_id: id },
  });
  if (data === null) return problem && notice('amber', problem.message);
  if (data.searchable && data.status === 'indexed') return null;
  const tone = data.status === 'failed' ? 'red' : data.searchable ? 'grey' : 'amber';
  return notice(tone, html`${data.sentence} <span class="quiet">Since ${time(data.since)}.</span>`);
}

function standing(document: Document): Part {
  const { timings } = document;
  return html`<div class="box">
    <div class="body">
      ${facts([
        ['Id', shortId(document.document_id)],
        ['Source', html`<span class="tag">${document.source}</span>`],
        document.link === null ? null : ['Link', outsideLink(document.link)],
        ['Chunks', count(document.chunk_count)],
        [
          'Revision',
          html`${count(document.revision)}${document.indexed_revision === null ? ', not indexed yet' : html`, indexed: ${count(document.indexed_revision)}`}`,
        ],
        ['Arrived', time(document.accepted_at)],
        ['Indexed', time(document.indexed_at, 'not yet')],
        ['Waited', duration(timings.queued_ms)],
        ['Indexing took', duration(timings.indexing_ms)],
        ['Attempts', count(document.attempts)],
        ['First seen', time(document.created_at)],
      ])}
    </div>
  </div>`;
}

function actions(document: Document): Parts {
  const { document_id, status } = document;
  return [
    status === 'failed' &&
      button({
        text: 'Try again',
        icon: 'retry',
        look: 'primary',
        run: async () => {
          await call('POST /service-api/ingestion/{document_id}/retry', { path: { document_id } });
          say('It is being indexed again.');
          await reload();
        },
      }),
    button({ text: 'Delete', look: 'danger', run: () => askToDelete(document) }),
  ];
}

function askToDelete({ document_id: id, semantic_identifier: title }: Document): void {
  confirm({
    title: 'Delete a document',
    explain: html`<strong>${title}</strong> is gone from search at once. A connector brings it back
      if it is still at its source.`,
    action: 'Delete 1 document',
    run: async () => {
      await call('DELETE /service-api/ingestion/{document_id}', { path: { document_id: id } });
      void refresh('GET /service-api/ingestion', 'GET /service-api/ingestion/stats');
      say('The document is deleted.');
      go('/documents');
    },
  });
}
