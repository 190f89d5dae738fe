import { html, type Part } from './html.ts';

interface Bar {
  /** Those that failed are among them. */
  readonly finished: number;
  readonly failed: number;
}

const HEIGHT = 20;
const STEP = 4;
/** So that one bar is wide enough to be seen. */
const MAX_BARS = 24;

/** A stretch of time in a few small bars, such as the last hour; failures are red and are also said. */
export function spark(bars: readonly Bar[], said: string): Part {
  const shown = gathered(bars);
  const most = Math.max(1, ...shown.map(({ finished }) => finished));
  const width = shown.length * STEP;
  return html`<svg
    class="spark"
    viewBox="0 0 ${width} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label=${said}
  >
    <path d="M0 ${HEIGHT - 0.5}H${width}" />
    ${shown.map((bar, index) => columns(bar, index, most))}
  </svg>`;
}

/** Of values that are no failures. */
export function sparkOf(values: readonly number[], said: string): Part {
  return spark(
    values.map((finished) => ({ finished, failed: 0 })),
    said,
  );
}

/** Of failures alone. */
export function sparkOfFailures(values: readonly number[], said: string): Part {
  return spark(
    values.map((failed) => ({ finished: failed, failed })),
    said,
  );
}

function gathered(bars: readonly Bar[]): Bar[] {
  const each = Math.ceil(bars.length / MAX_BARS);
  return Array.from({ length: Math.ceil(bars.length / each) }, (_, index) => {
    const own = bars.slice(index * each, (index + 1) * each);
    return {
      finished: own.reduce((sum, { finished }) => sum + finished, 0),
      failed: own.reduce((sum, { failed }) => sum + failed, 0),
    };
  });
}

function columns({ finished, failed }: Bar, index: number, most: number): Part {
  const height = (value: number): number =>
    value === 0 ? 0 : Math.max(2, (value / most) * HEIGHT);
  const [good, bad] = [height(Math.max(0, finished - failed)), height(failed)];
  if (good + bad === 0) return null;
  const x = index * STEP;
  return html`<g key=${index}>
    ${good > 0 && html`<rect x=${x} y=${HEIGHT - good} width=${STEP - 1} height=${good} />`}
    ${bad > 0 && html`<rect class="bad" x=${x} y=${Math.max(0, HEIGHT - good - bad)} width=${STEP - 1} height=${bad} />`}
  </g>`;
}
