import { useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { go } from '#src/console/web/data/place.ts';
import { useModal } from '#src/console/web/parts/dialog.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { icon, type IconName } from '#src/console/web/parts/icon.ts';
import { visibleEntries } from './navigation.ts';

interface Hit {
  readonly to: string;
  readonly title: string;
  readonly detail: Part;
  readonly icon: IconName;
}

const isOpen = signal(false);

export function openFinder(): void {
  isOpen.value = true;
}

/** The search: pages by name. */
export function Finder(): Part {
  return isOpen.value && html`<${OpenFinder} />`;
}

function OpenFinder(): Part {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const element = useRef<HTMLDialogElement>(null);
  useModal(element);
  const hits = pagesNamed(text);
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    close();
    go(hit.to);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open(hits[chosen]);
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
      placeholder="Go to a page …"
      autocomplete="off"
      spellcheck="false"
      onInput=${type}
      onKeyDown=${keys}
    />
    <ul role="listbox" id="finder-hits" aria-label="Found">
      ${hits.map((hit, index) => hitRow(hit, index, index === chosen, () => open(hit), setChosen))}
    </ul>
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
    key=${to}
    aria-selected=${isChosen ? 'true' : 'false'}
    onClick=${open}
    onPointerMove=${() => choose(index)}
  >
    ${icon(name)}<span class="cut">${title}</span>
    <span class="end">${detail}</span>
  </li>`;
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
