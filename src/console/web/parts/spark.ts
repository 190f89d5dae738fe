import { html, type Part } from './html.ts';

interface Bar {
  readonly finished: number;
  readonly failed: number;
}

/** The last hour in 60 small bars; failures are red and are also said. */
export function spark(bars: readonly Bar[]): Part {
  const most = Math.max(1, ...bars.map(({ finished, failed }) => finished + failed));
  const total = bars.reduce((sum, bar) => sum + bar.finished, 0);
  const failures = bars.reduce((sum, bar) => sum + bar.failed, 0);
  return html`<svg
    class="spark"
    viewBox="0 0 ${bars.length * 2} 20"
    preserveAspectRatio="none"
    role="img"
    aria-label="${total} finished in the last hour, ${failures} failed"
  >
    ${bars.map((bar, index) => columns(bar, index, most))}
  </svg>`;
}

function columns({ finished, failed }: Bar, index: number, most: number): Part {
  const height = (value: number): number => (value === 0 ? 0 : Math.max(1, (value / most) * 20));
  const [good, bad] = [height(finished), height(failed)];
  if (good + bad === 0) return null;
  const x = index * 2;
  return html`<g key=${index}>
    ${good > 0 && html`<rect x=${x} y=${20 - good} width="1.5" height=${good} />`}
    ${bad > 0 && html`<rect class="bad" x=${x} y=${Math.max(0, 20 - good - bad)} width="1.5" height=${bad} />`}
  </g>`;
}
