import type { Known } from '#src/console/web/data/store.ts';
import { toProblem, type ApiProblem } from '#src/console/web/data/problem.ts';
import { liveState } from '#src/console/web/data/live.ts';
import { useEffect } from 'preact/hooks';
import { html, type Part, type Parts } from './html.ts';
import { icon } from './icon.ts';
import { time } from './time.ts';

/** A page: its title, what it is about in one sentence, what one can do, and its content. */
export function page(facts: {
  title: string;
  about?: Parts;
  /** Where it lies: a link to the list that it is from. */
  under?: { text: string; href: string };
  badge?: Part;
  actions?: Parts;
  width?: 'wide' | 'narrow' | '';
  content: Parts;
}): Part {
  return html`<${Page} ...${facts} />`;
}

function Page({
  title,
  about,
  under,
  badge,
  actions,
  width = '',
  content,
}: Parameters<typeof page>[0]): Part {
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
  return html`<div class="page ${width}">
    <div class="page-head">
      <div>
        ${under && html`<div class="crumb"><a href=${under.href}>${under.text}</a></div>`}
        <div class="row">
          <h1 tabindex="-1">${title}</h1>
          ${badge}
        </div>
        ${about && html`<p>${about}</p>`}
      </div>
      ${actions && html`<div class="row">${actions}</div>`}
    </div>
    ${content}
  </div>`;
}

/** A part of a page with a heading of its own. */
export function section(facts: {
  title: string;
  actions?: Parts;
  content: Parts;
  /** Without a distance to the border, for a table. */
  isFlush?: boolean;
}): Part {
  const { title, actions, content, isFlush = false } = facts;
  return html`<section class="box" aria-label=${title}>
    <div class="head">
      <h2>${title}</h2>
      ${actions && html`<div class="row">${actions}</div>`}
    </div>
    ${isFlush ? content : html`<div class="body">${content}</div>`}
  </section>`;
}

/**
 * What is known of a resource, or that it is being read, or why it cannot be.
 * @param list where it would be listed, for one that may not exist
 */
export function known<Data>(
  { data, problem, at }: Known<Data>,
  show: (data: Data) => Parts,
  retry: () => unknown,
  list: { text: string; href: string } | null = null,
): Parts {
  if (list !== null && problem?.status === 404) return missing(problem, list);
  if (data === null) return problem === null ? skeleton() : problemNotice(problem, retry);
  return problem === null || at === null ? show(data) : [staleNotice(problem, at), show(data)];
}

/** It is not there: trying again would not help, its list may. */
function missing({ message }: ApiProblem, { text, href }: { text: string; href: string }): Part {
  return html`<div class="box">
    ${empty(message, html`<a class="button" href=${href}>${text}</a>`)}
  </div>`;
}

/** Shown only when reading takes longer than 200 ms. */
export function skeleton(lines: number = 4): Part {
  return html`<div class="box skeleton" role="status" aria-label="Loading">
    ${Array.from({ length: lines }, (_, index) => html`<i key=${index} style=${{ width: `${92 - index * 13}%` }}></i>`)}
  </div>`;
}

/** What failed, what to do, and the id by which the service's log tells more. */
export function problemNotice(error: unknown, retry?: () => unknown): Part {
  const problem = toProblem(error);
  return html`<div class="notice red" role="alert">
    ${icon('warning')}
    <div>
      <p>${problem.message}</p>
      ${requestIdLine(problem)}
    </div>
    ${
      retry &&
      html`<button type="button" class="button tiny" onClick=${() => void retry()}>
        Try again
      </button>`
    }
  </div>`;
}

function requestIdLine({ requestId }: ApiProblem): Part {
  return requestId && html`<p class="small muted">Request <code>${requestId}</code></p>`;
}

function staleNotice(problem: ApiProblem, at: number): Part {
  return html`<div class="notice amber" role="status">
    ${icon('clock')}
    <div>This was read ${time(new Date(at).toISOString())}. Since then: ${problem.message}</div>
  </div>`;
}

/** What will be here, and how to get it. */
export function empty(sentence: Parts, action?: Parts): Part {
  return html`<div class="empty">
    <p>${sentence}</p>
    ${action}
  </div>`;
}

export function notice(tone: 'red' | 'amber' | 'green' | 'grey', content: Parts): Part {
  const name = tone === 'green' ? 'check' : tone === 'grey' ? 'dot' : 'warning';
  return html`<div class="notice ${tone}">
    ${icon(name)}
    <div>${content}</div>
  </div>`;
}

interface Figure {
  readonly name: string;
  readonly value: Parts;
  readonly more?: Parts;
  readonly isWords?: boolean;
}

/** Figures side by side, in rows that are all full. */
export function figures(given: readonly (Figure | null)[]): Part {
  const entries = given.filter((entry) => entry !== null);
  const columns = [6, 5, 4, 3].find((most) => entries.length % most === 0) ?? entries.length;
  return html`<dl class="figures by-${Math.min(columns, 6)}">
    ${entries.map(
      ({ name, value, more, isWords = false }) =>
        html`<div class="figure" key=${name}>
          <dt>${name}</dt>
          <dd class=${isWords ? 'words' : ''}>${value}</dd>
          ${more && html`<dd class="words small muted">${more}</dd>`}
        </div>`,
    )}
  </dl>`;
}

/** Names and values below each other. */
export function facts(entries: readonly (readonly [string, Parts] | null)[]): Part {
  return html`<dl class="facts">
    ${entries.map((entry) => entry && [html`<dt>${entry[0]}</dt>`, html`<dd>${entry[1]}</dd>`])}
  </dl>`;
}

/** Whether the page follows what happens. */
function LiveMark(): Part {
  const state = liveState.value;
  if (state === 'off') return null;
  const words = { on: 'live', lost: 'connecting…', paused: 'paused' };
  return html`<span class="live ${state}" role="status"
    >${icon(state === 'on' ? 'ring' : 'wait')}${words[state]}</span
  >`;
}

export const liveMark = (): Part => html`<${LiveMark} />`;
