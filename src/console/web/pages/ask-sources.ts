import type { Source, Turn } from '#src/console/web/data/answer.ts';
import { link } from '#src/console/web/data/place.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { outsideLink } from '#src/console/web/parts/outside-link.ts';

/** `[2]` in an answer: shows the passage beside it. */
export function citation(turn: Turn, index: number, number: number): Part {
  const source = sourceOf(turn, number);
  const name =
    source === null ? `Source ${number}` : `Source ${number}: ${source.semantic_identifier}`;
  return html`<button
    type="button"
    class="citation"
    title=${name}
    aria-label=${name}
    onClick=${() => showSource(index, number)}
  >
    ${number}
  </button>`;
}

/** The passages that an answer cites first, then the others that it found. */
export function sourceList(turn: Turn, index: number): Part {
  const numbers = Object.keys(turn.cited)
    .map(Number)
    .toSorted((a, b) => a - b);
  const cited = numbers.flatMap((number) => {
    const source = sourceOf(turn, number);
    return source === null ? [] : [{ number, source }];
  });
  const others = turn.sources.filter((source) => !cited.some((one) => one.source === source));
  return html`<aside class="sources" aria-label="Sources">
    <h3>Sources</h3>
    ${cited.map(({ number, source }) => sourceCard(source, index, number))}
    ${
      others.length > 0 &&
      html`<details>
        <summary class="muted">
          ${cited.length === 0 ? 'Found' : 'Also found'}: ${others.length}
        </summary>
        ${others.map((source) => sourceCard(source, index, null))}
      </details>`
    }
  </aside>`;
}

function sourceOf({ cited, sources }: Turn, number: number): Source | null {
  return sources.find(({ document_id }) => document_id === cited[number]) ?? null;
}

function sourceCard(source: Source, index: number, number: number | null): Part {
  const { document_id: id, chunk_ind: chunk, is_internet: isWeb } = source;
  const where = link(`/documents/${encodeURIComponent(id)}?chunk=${chunk}`);
  return html`<div
    class="source"
    id=${number === null ? null : idOf(index, number)}
    tabindex="-1"
    key=${`${id}#${chunk}`}
  >
    <div class="row">
      ${number !== null && html`<span class="citation">${number}</span>`}
      <strong class="cut"
        >${isWeb ? source.semantic_identifier : html`<a href=${where}>${source.semantic_identifier}</a>`}</strong
      >
    </div>
    <p class="small">${plainText(source.blurb)}</p>
    ${source.link && html`<p class="small cut">${outsideLink(source.link)}</p>`}
  </div>`;
}

/** A passage without the marks of Markdown, for a few lines. */
function plainText(text: string): string {
  return text.replaceAll(/[#|`*_>]+|-{3,}/g, ' ').replaceAll(/\s+/g, ' ');
}

function showSource(index: number, number: number): void {
  const card = document.getElementById(idOf(index, number));
  if (card === null) return;
  card.scrollIntoView({ block: 'nearest' });
  card.focus({ preventScroll: true });
}

function idOf(index: number, number: number): string {
  return `source-${index}-${number}`;
}
