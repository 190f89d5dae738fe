import { signal } from '@preact/signals';
import { html, type Part } from './html.ts';
import { icon } from './icon.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'green' | 'red';
}

const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 6_000;
let last = 0;

/** Says that something was done, for some seconds; read out by screen readers. */
export function say(text: string, tone: Toast['tone'] = 'green'): void {
  last += 1;
  const toast = { id: last, text, tone };
  toasts.value = [...toasts.peek(), toast];
  setTimeout(() => {
    toasts.value = toasts.peek().filter(({ id }) => id !== toast.id);
  }, SHOWN_MS);
}

export function Toasts(): Part {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.value.map(
      ({ id, text, tone }) =>
        html`<div class="notice ${tone}" key=${id}>
          ${icon(tone === 'green' ? 'check' : 'warning')}
          <div>${text}</div>
        </div>`,
    )}
  </div>`;
}
