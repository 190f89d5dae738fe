import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'millrace-theme';

/** What the person chose in this browser. */
export const theme = signal<Theme>(readTheme());

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // A browser without storage keeps the choice until the page is closed.
  }
  applyTheme();
}

export function applyTheme(): void {
  const chosen = theme.peek();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}
