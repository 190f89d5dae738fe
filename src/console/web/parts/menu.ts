import { useEffect, useRef, useState } from 'preact/hooks';
import { html, type Part, type Parts } from './html.ts';

interface MenuFacts {
  /** What the button says. */
  readonly face: Parts;
  readonly name: string;
  readonly look?: string;
  readonly side?: 'left' | 'right';
  readonly entries: (close: () => void) => Parts;
}

/** A button that opens a list of links and buttons. Esc and a click elsewhere close it. */
export function menu(given: MenuFacts): Part {
  return html`<${Menu} ...${given} />`;
}

function Menu({ face, name, look = '', side = 'right', entries }: MenuFacts): Part {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const close = (): void => setOpen(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const list = element.current?.querySelector('.list');
    list?.querySelector<HTMLElement>('a, button')?.focus();
    const leave = (event: Event): void => {
      if (event.target instanceof Node && !element.current?.contains(event.target)) close();
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      close();
      element.current?.querySelector('button')?.focus();
    }
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) moveFocus(event);
  };
  return html`<div class="menu from-${side}" ref=${element} onKeyDown=${keys}>
    <button
      type="button"
      class="button ${look}"
      aria-expanded=${isOpen ? 'true' : 'false'}
      aria-label=${name}
      onClick=${() => setOpen(!isOpen)}
    >
      ${face}
    </button>
    ${isOpen && html`<div class="list">${entries(close)}</div>`}
  </div>`;
}

function moveFocus(event: KeyboardEvent): void {
  if (!(event.currentTarget instanceof Element)) return;
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>('.list a, .list button')];
  const at = entries.findIndex((entry) => entry === document.activeElement);
  const next = entries[at + (event.key === 'ArrowDown' ? 1 : -1)];
  event.preventDefault();
  next?.focus();
}
