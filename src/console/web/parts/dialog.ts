import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { button } from './button.ts';
import { html, type Part, type Parts } from './html.ts';
import { icon } from './icon.ts';

interface Opened {
  readonly id: number;
  readonly title: string;
  readonly content: () => Parts;
  readonly isWide: boolean;
  readonly onClose: () => void;
}

const opened = signal<Opened | null>(null);
let last = 0;

/**
 * Opens a dialog. The browser keeps the focus inside, gives it back at the end, and closes it with Esc. One is open at a
 * time: a second one takes the place of the first.
 */
export function openDialog(given: {
  title: string;
  content: () => Parts;
  isWide?: boolean;
  onClose?: () => void;
}): void {
  last += 1;
  const { isWide = false, onClose = () => undefined } = given;
  opened.value = { id: last, title: given.title, content: given.content, isWide, onClose };
}

export function closeDialog(): void {
  const was = opened.peek();
  opened.value = null;
  was?.onClose();
}

/** Where the open dialog is shown; once in the frame. */
export function Dialogs(): Part {
  const dialog = opened.value;
  return dialog && html`<${Dialog} key=${dialog.id} ...${dialog} />`;
}

/**
 * Shows an element as a modal dialog while it is there. The browser notes who had the focus when the dialog opens and
 * gives it back on `close()`: nothing outside can take the focus while the dialog still is modal.
 */
export function useModal(element: { readonly current: HTMLDialogElement | null }): void {
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showModal();
    return () => shown?.close();
  }, [element]);
}

function Dialog({ id, title, content, isWide }: Opened): Part {
  const element = useRef<HTMLDialogElement>(null);
  useModal(element);
  return html`<dialog
    ref=${element}
    class="dialog ${isWide ? 'wide' : ''}"
    aria-labelledby="dialog-${id}"
    onCancel=${(event: Event) => {
      event.preventDefault();
      closeDialog();
    }}
  >
    <div class="head">
      <h2 id="dialog-${id}">${title}</h2>
      <button type="button" class="button plain icon" aria-label="Close" onClick=${closeDialog}>
        ${icon('close')}
      </button>
    </div>
    <div class="body">${content()}</div>
  </dialog>`;
}

/** Asks once, in a dialog whose button names what it does: "Delete 3 endpoints". */
export function confirm(given: {
  title: string;
  explain: Parts;
  action: string;
  isDangerous?: boolean;
  run: () => unknown;
}): void {
  const { title, explain, action, isDangerous = true, run } = given;
  openDialog({
    title,
    content: () =>
      html`<div class="stack">
        <div>${explain}</div>
        <div class="actions">
          ${button({ text: 'Cancel', run: closeDialog })}
          ${button({
            text: action,
            look: isDangerous ? 'danger primary' : 'primary',
            run: async () => {
              await run();
              closeDialog();
            },
          })}
        </div>
      </div>`,
  });
}
