import { lexer, type Token, type Tokens } from 'marked';
import { html, type Part, type Parts } from './html.ts';
import { outsideLink } from './outside-link.ts';

/** What a citation such as `[[2]](https://…)` becomes. */
type ShowCitation = (number: number) => Parts;

/**
 * The text of an answer as elements. The library only parses: what it takes for HTML stays text, images become links,
 * and only web and mail addresses can be clicked.
 */
export function markdown(text: string, showCitation: ShowCitation): Part {
  return html`<div class="prose">${blocks(lexer(text, { gfm: true }), showCitation)}</div>`;
}

function blocks(tokens: readonly Token[], cite: ShowCitation): Parts[] {
  return tokens.map((token) => block(token as Tokens.Generic, cite));
}

function block(token: Tokens.Generic, cite: ShowCitation): Parts {
  const inner = (): Parts[] => inlines(token.tokens ?? [], cite);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // The page has its own headings: those of an answer are below them.
      return html`<h3>${inner()}</h3>`;
    case 'paragraph':
      return html`<p>${inner()}</p>`;
    case 'code':
      return html`<pre class="command">${token['text']}</pre>`;
    case 'blockquote':
      return html`<blockquote>${blocks(token.tokens ?? [], cite)}</blockquote>`;
    case 'hr':
      return html`<hr />`;
    case 'list':
      return list(token as Tokens.List, cite);
    case 'table':
      return table(token as Tokens.Table, cite);
    case 'text':
      return token.tokens ? inner() : token.raw;
    default:
      return html`<p>${token.raw}</p>`;
  }
}

function list({ ordered, start, items }: Tokens.List, cite: ShowCitation): Part {
  const content = items.map(({ tokens }) => html`<li>${blocks(tokens, cite)}</li>`);
  return ordered
    ? html`<ol start=${start}>
        ${content}
      </ol>`
    : html`<ul>
        ${content}
      </ul>`;
}

function table({ header, rows }: Tokens.Table, cite: ShowCitation): Part {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${header.map(({ tokens }) => html`<th scope="col">${inlines(tokens, cite)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map(({ tokens }) => html`<td>${inlines(tokens, cite)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function inlines(tokens: readonly Token[], cite: ShowCitation): Parts[] {
  return tokens.map((token) => inline(token as Tokens.Generic, cite));
}

const CITATION = /^\[(\d{1,4})\]$/;

function inline(token: Tokens.Generic, cite: ShowCitation): Parts {
  const inner = (): Parts[] => inlines(token.tokens ?? [], cite);
  switch (token.type) {
    case 'strong':
      return html`<strong>${inner()}</strong>`;
    case 'em':
      return html`<em>${inner()}</em>`;
    case 'del':
      return html`<del>${inner()}</del>`;
    case 'codespan':
      return html`<code>${token['text']}</code>`;
    case 'br':
      return html`<br />`;
    case 'escape':
      return String(token['text']);
    case 'link':
    case 'image': {
      const [, number] = CITATION.exec(String(token['text'])) ?? [];
      if (number !== undefined) return cite(Number(number));
      return outsideLink(
        String(token['href']),
        token.type === 'link' ? inner() : String(token['text']),
      );
    }
    case 'text':
      return token.tokens ? inner() : String(token.raw);
    default:
      return token.raw;
  }
}
