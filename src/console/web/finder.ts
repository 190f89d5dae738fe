import { useEffect, useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { call, type Reply } from '#src/console/web/data/call.ts';
import { go } from '#src/console/web/data/place.ts';
import { useModal } from '#src/console/web/parts/dialog.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { icon, type IconName } from '#src/console/web/parts/icon.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { subjectPath } from '#src/console/web/pages/subjects.ts';
import { visibleEntries } from './navigation.ts';

interface Hit {
  readonly to: string;
  readonly title: string;
  readonly detail: Part;
  readonly icon: IconName;
  /** Of a document, so that it can be said why it is not searchable. */
  readonly documentId?: string;
}

type Result = Reply<'GET /find'>['results'][number];

/** Nothing is asked while somebody types. */
const PAUSE_MS = 150;
const MAX_LENGTH = 200;
const ICONS: Readonly<Record<string, IconName>> = {
  document: 'document',
  connector: 'connector',
  run: 'connector',
  endpoint: 'webhook',
  delivery: 'webhook',
  message: 'mail',
  account: 'mail',
  scrape: 'lead',
  job: 'operations',
};

const isOpen = signal(false);

export function openFinder(): void {
  isOpen.value = true;
}

/** The search: pages by name, and anything of the workspace by id, title or address. */
export function Finder(): Part {
  return isOpen.value && html`<${OpenFinder} />`;
}

function OpenFinder(): Part {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const element = useRef<HTMLDialogElement>(null);
  useModal(element);
  const { found, isLooking } = useFound(text.trim());
  const hits = [...pagesNamed(text), ...found];
  const whyNot = useWhyNot(hits[Math.min(chosen, hits.length - 1)]?.documentId ?? null);
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    close();
    go(hit.to);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open(hits[Math.min(chosen, hits.length - 1)]);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(hits.length - 1, chosen + step)));
  };
  const type = (event: InputEvent): void => {
    setChosen(0);
    if (event.target instanceof HTMLInputElement) setText(event.target.value);
  };
  return html`<dialog
    class="dialog finder"
    ref=${element}
    aria-label="Search"
    onCancel=${close}
    onClick=${(event: Event) => event.target === element.current && close()}
  >
    <input
      type="text"
      role="combobox"
      aria-expanded="true"
      aria-controls="finder-hits"
      aria-activedescendant=${hits.length > 0 ? `hit-${chosen}` : null}
      aria-label="Search"
      maxlength=${MAX_LENGTH}
      placeholder="A page, or any id, title or address …"
      autocomplete="off"
      spellcheck="false"
      onInput=${type}
      onKeyDown=${keys}
    />
    <ul role="listbox" id="finder-hits" aria-label="Found">
      ${hits.map((hit, index) => hitRow(hit, index, index === chosen, () => open(hit), setChosen))}
    </ul>
    ${whyNot && html`<p class="why" role="status">${icon('warning')}<span>${whyNot}</span></p>`}
    ${hits.length === 0 && html`<p class="none" role="status">${isLooking ? 'Looking …' : 'Nothing has this name, id or address.'}</p>`}
  </dialog>`;
}

function close(): void {
  isOpen.value = false;
}

function hitRow(
  { title, detail, icon: name, to }: Hit,
  index: number,
  isChosen: boolean,
  open: () => void,
  choose: (index: number) => void,
): Part {
  return html`<li
    role="option"
    id="hit-${index}"
    key=${`${index} ${to}`}
    aria-selected=${isChosen ? 'true' : 'false'}
    onClick=${open}
    onPointerMove=${() => choose(index)}
  >
    ${icon(name)}<span class="cut">${title}</span>
    <span class="end">${detail}</span>
  </li>`;
}

/** What the service finds: asked after a pause in typing; the answer to what stands in the box now is shown. */
function useFound(text: string): { found: Hit[]; isLooking: boolean } {
  const [answer, setAnswer] = useState<{ text: string; results: Result[] }>({
    text: '',
    results: [],
  });
  useEffect(() => {
    if (text === '') return undefined;
    const controller = new AbortController();
    const { signal: stopped } = controller;
    const ask = async (): Promise<void> => {
      try {
        const { results } = await call('GET /find', { query: { q: text }, signal: stopped });
        if (!stopped.aborted) setAnswer({ text, results });
      } catch {
        // The pages are still there to choose; whatever is wrong, they say it.
        if (!stopped.aborted) setAnswer({ text, results: [] });
      }
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  if (text === '' || answer.text !== text) return { found: [], isLooking: text !== '' };
  return { found: answer.results.flatMap(toHit), isLooking: false };
}

/** Why the chosen document is not searchable, or not as it is now; null while there is nothing to say. */
function useWhyNot(documentId: string | null): string | null {
  const [known, setKnown] = useState<{ id: string; sentence: string | null } | null>(null);
  useEffect(() => {
    if (documentId === null) return undefined;
    const controller = new AbortController();
    const { signal: stopped } = controller;
    const ask = async (): Promise<void> => {
      const why = await call('GET /documents/{document_id}/why', {
        path: { document_id: documentId },
        signal: stopped,
      });
      const isFine = why.searchable && why.status === 'indexed';
      setKnown({ id: documentId, sentence: isFine ? null : why.sentence });
    };
    const timer = setTimeout(() => {
      // Its page tells as well, and what is wrong if nothing answers.
      void ask().catch(() => undefined);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [documentId]);
  return known?.id === documentId ? known.sentence : null;
}

function toHit({ kind, title, state, subject }: Result): Hit[] {
  const to = subjectPath(subject);
  if (to === null) return [];
  return [
    {
      to,
      title,
      icon: ICONS[kind] ?? 'search',
      ...(subject.kind === 'document' && { documentId: subject.id }),
      detail: state === null ? html`${kind}` : html`${kind} ${badge(state)}`,
    },
  ];
}

function pagesNamed(text: string): Hit[] {
  const wanted = text.trim().toLowerCase();
  return visibleEntries()
    .filter(({ word }) => word.toLowerCase().includes(wanted))
    .map(({ path, word, icon: name, key }) => ({
      to: path,
      title: word,
      icon: name,
      detail: html`<kbd>g</kbd> <kbd>${key}</kbd>`,
    }));
}
