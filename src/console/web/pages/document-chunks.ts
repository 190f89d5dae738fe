import { useEffect } from 'preact/hooks';
import type { Reply } from '#src/console/web/data/call.ts';
import { linkWith, query } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { empty, known, section } from '#src/console/web/parts/page.ts';
import { pager } from '#src/console/web/parts/table.ts';

type Found = Reply<'GET /service-api/ingestion/{document_id}/chunks'>;
const PAGE = 50;

/** The text as it is indexed; `?chunk=` in the address marks the passage that an answer cites. */
export function chunkList(documentId: string): Part {
  return html`<${ChunkList} documentId=${documentId} />`;
}

function ChunkList({ documentId }: { documentId: string }): Part {
  const cited = numberOf('chunk');
  const from = numberOf('from') ?? (cited === null ? 0 : Math.floor(cited / PAGE) * PAGE);
  const chunks = useResource('GET /service-api/ingestion/{document_id}/chunks', {
    path: { document_id: documentId },
    query: { from, limit: PAGE },
  });
  const isRead = chunks.data !== null;
  useEffect(() => {
    if (isRead && cited !== null)
      document.getElementById(`chunk-${cited}`)?.scrollIntoView({ block: 'center' });
  }, [isRead, cited]);
  return section({
    title: 'Text as it is indexed',
    isFlush: true,
    content: known(
      chunks,
      (found) => showChunks(found, cited, from),
      () => refresh('GET /service-api/ingestion/{document_id}/chunks'),
    ),
  });
}

function showChunks({ chunks, next_from: next }: Found, cited: number | null, from: number): Part {
  if (chunks.length === 0) return empty('The document has no text that could be found.');
  return html`<ol class="chunks">
      ${chunks.map(
        ({ ordinal, text, headings, token_count: tokens }) =>
          html`<li
            key=${ordinal}
            id=${`chunk-${ordinal}`}
            class=${ordinal === cited ? 'cited' : ''}
          >
            <div class="row apart small muted">
              <span
                >${ordinal === cited && html`<strong>Cited passage · </strong>`}${headings.join(' › ')}</span
              >
              <span class="number">${plural(tokens, 'token')}</span>
            </div>
            <p>${text}</p>
          </li>`,
      )}
    </ol>
    <div class="table-foot">
      ${pager({
        count: `${plural(chunks.length, 'chunk')} on this page`,
        firstHref: from > 0 ? linkWith({ from: null, chunk: null }) : null,
        nextHref: next === null ? null : linkWith({ from: String(next), chunk: null }),
        words: { first: 'Beginning', next: 'Further' },
      })}
    </div>`;
}

function numberOf(name: string): number | null {
  const value = Number(query.value.get(name) ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
