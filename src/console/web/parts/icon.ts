import { html, type Part } from './html.ts';

/** Strokes on a grid of 16. */
const PATHS = {
  overview: 'M2.5 9.5 8 3l5.5 6.5M4 8v5.5h8V8',
  ask: 'M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z',
  document: 'M4 1.8h5l3 3v9.4H4zM9 1.8v3h3M6 8.2h4M6 10.8h4',
  connector: 'M6 2v3.5M10 2v3.5M4 5.5h8v2a4 4 0 0 1-8 0zM8 11.5V14',
  lead: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8M2.8 14a5.2 5.2 0 0 1 10.4 0',
  mail: 'M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5',
  webhook:
    'M8 2.2v5.3M4.2 13.2a2.2 2.2 0 1 1-1-4M11.8 13.2a2.2 2.2 0 1 0 1-4M8 7.5l-3.4 3.7M8 7.5l3.4 3.7M5.8 3.6a2.2 2.2 0 0 1 4.4 0',
  operations: 'M1.8 8.5h2.7l2-5 3 9.5 2-4.5h2.7',
  worker: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 4.8V8l2.2 1.6',
  bell: 'M3.5 11.5c1-1 1-2.5 1-4a3.5 3.5 0 0 1 7 0c0 1.5 0 3 1 4zM6.8 13.8h2.4',
  audit: 'M3 2.5h10M3 6h10M3 9.5h6M3 13h6M11 11.5l1.3 1.3 2-2.3',
  key: 'M9.5 9.5a3.8 3.8 0 1 0-3-3L2 11v3h3v-2h2v-2zM10.8 5.2h.01',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M1.5 13.5a4.5 4.5 0 0 1 9 0M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12 9.7a4.5 4.5 0 0 1 2.5 3.8',
  plan: 'M2 4h12v8.5H2zM2 7h12M4.5 10h2',
  points: 'M8 2l1.9 3.8 4.1.6-3 2.9.7 4.1L8 11.5l-3.7 1.9.7-4.1-3-2.9 4.1-.6z',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8M2.8 14a5.2 5.2 0 0 1 10.4 0',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10M10.8 10.8 14 14',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.3 3.3L13 4.8',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  wait: 'M8 3.5V8l2.5 2',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3l8 5-8 5z',
  dot: 'M8 8h.01',
  ring: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10',
  half: 'M8 3a5 5 0 1 0 5 5M8 3v5h5',
  warning: 'M8 2 1.5 13.5h13zM8 6.5v3M8 11.7h.01',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  plus: 'M8 3v10M3 8h10',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  link: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  stop: 'M4 4h8v8H4z',
  clip: 'M12.8 7.6 8 12.4a3 3 0 0 1-4.3-4.3l5.4-5.3a2 2 0 0 1 2.8 2.8L6.6 10.9a.9.9 0 0 1-1.3-1.3l4.4-4.4',
  pencil: 'M3 13l.6-2.8 7.2-7.2 2.2 2.2-7.2 7.2zM9.6 4.2l2.2 2.2',
  send: 'M2 8l12-5.5L9.5 14 8 9.5z',
  building: 'M3 14V2.5h7V14M10 6.5h3V14M1.5 14h13M5.5 5.5h2M5.5 8.2h2M5.5 11h2',
  bin: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9',
} as const;

export type IconName = keyof typeof PATHS;

/** Beside a word, which says the same: the icon itself is hidden from screen readers. */
export function icon(name: IconName): Part {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d=${PATHS[name]} />
  </svg>`;
}
