import { useEffect } from 'preact/hooks';
import type { Turn } from '#src/console/web/data/answer.ts';
import { chat, openChat } from '#src/console/web/data/chat.ts';
import { query } from '#src/console/web/data/place.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { markdown } from '#src/console/web/parts/markdown.ts';
import { empty, problemNotice, skeleton } from '#src/console/web/parts/page.ts';
import { question } from './ask-question.ts';
import { citation, sourceList } from './ask-sources.ts';
import { newChat, sessionList, sessionMenu } from './ask-sessions.ts';

/** A question to what is indexed: the answer, with where each sentence is from. */
export function Ask(): Part {
  const wanted = query.value.get('chat');
  useEffect(() => void openChat(wanted), [wanted]);
  useEffect(() => {
    document.title = 'Ask · Millrace';
  }, []);
  const { turns, isLoading, problem } = chat.value;
  const isRunning = turns.at(-1)?.state === 'running';
  return html`<div class="ask">
    <aside class="ask-sessions" aria-label="Chats">${sessionList(wanted)}</aside>
    <section class="ask-chat">
      <div class="row apart">
        <h1 tabindex="-1">Ask</h1>
        <span class="row">${turns.length > 0 && newChat()} ${sessionMenu(wanted)}</span>
      </div>
      ${problem && problemNotice(problem, () => openChat(wanted))} ${isLoading && skeleton()}
      ${turns.length === 0 && !isLoading && problem === null && nothingAsked()}
      ${turns.map((turn, index) => html`<${TurnView} key=${index} turn=${turn} index=${index} />`)}
      ${question(isRunning)}
    </section>
  </div>`;
}

function nothingAsked(): Part {
  return empty(
    'Ask anything about the documents of this workspace. Answers say which passages they are from.',
  );
}

function TurnView({ turn, index }: { turn: Turn; index: number }): Part {
  return html`<article class="turn" aria-label="Question and answer">
    <h2 class="question">${turn.question || 'About the files'}</h2>
    ${
      turn.files.length > 0 &&
      html`<ul class="attachments" aria-label="Files asked about">
        ${turn.files.map((name, at) => html`<li key=${at}>${icon('document')}<span class="cut">${name}</span></li>`)}
      </ul>`
    }
    <div class=${`turn-body ${citesNothing(turn) ? 'plain' : ''}`}>
      <div class="stack tight">
        ${steps(turn)}
        <div aria-live="polite" aria-busy=${turn.state === 'running' ? 'true' : 'false'}>
          ${markdown(turn.text, (number) => citation(turn, index, number))}
        </div>
        ${ending(turn)}
      </div>
      ${turn.sources.length > 0 && sourceList(turn, index)}
    </div>
  </article>`;
}

/** What was found then stands below, and the answer has the whole width. */
function citesNothing({ state, cited }: Turn): boolean {
  return state !== 'running' && Object.keys(cited).length === 0;
}

/** What the answer does, as it does it. */
function steps({ steps: all, reasoning, text }: Turn): Parts {
  return [
    reasoning !== '' &&
      html`<details class="thoughts">
        <summary>Thoughts</summary>
        <p class="muted">${reasoning}</p>
      </details>`,
    all.map(
      ({ key, what, detail, isDone }) =>
        html`<div class="step muted small" key=${key}>
          ${icon(isDone || text !== '' ? 'check' : 'half')}
          <span>${what}${detail && html`: <span>${detail}</span>`}</span>
        </div>`,
    ),
  ];
}

function ending({ state, problem, text }: Turn): Parts {
  if (problem !== null) return problemNotice(problem);
  if (state === 'stopped') return html`<p class="muted small">Stopped.</p>`;
  if (state === 'running' && text === '')
    return html`<p class="muted small" role="status">Thinking …</p>`;
  return null;
}
