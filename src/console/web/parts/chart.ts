import uPlot from 'uplot';
import { useEffect, useRef } from 'preact/hooks';
import { theme } from '#src/console/web/data/theme.ts';
import { html, type Part } from './html.ts';

export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly tone: 'accent' | 'red' | 'amber' | 'muted';
  readonly isBar?: boolean;
}

interface ChartFacts {
  readonly title: string;
  /** Seconds since 1970 of each point. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** A value in words: `310 ms`. */
  readonly show: (value: number) => string;
}

const HEIGHT = 180;
/** No smaller scale: ten jobs, or ten milliseconds. */
const LEAST = 10;
const CURSOR_KEY = 'operations';

/** Figures over time. What it shows is also said in words, for whoever does not see it. */
export function chart(given: ChartFacts): Part {
  return html`<${Chart} ...${given} />`;
}

function Chart(given: ChartFacts): Part {
  const { title, times, lines, show } = given;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shape = `${theme.value} ${lines.map(({ name }) => name).join()}`;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(given, element.clientWidth), dataOf(given), element);
    };
    draw();
    const watch = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(dataOf(given)), [times, lines]);
  return html`<figure class="chart" aria-label=${title}>
    <figcaption class="small muted">
      ${title}<span class="hidden-text"
        >: ${lines.map((line) => summary(line, show)).join('; ')}</span
      >
    </figcaption>
    <div ref=${place} aria-hidden="true"></div>
  </figure>`;
}

function summary({ name, values }: Line, show: (value: number) => string): string {
  const present = values.filter((value) => value !== null);
  const latest = present.at(-1);
  if (latest === undefined) return `${name} none`;
  return `${name} now ${show(latest)}, at most ${show(Math.max(...present))}`;
}

function dataOf({ times, lines }: ChartFacts): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

function optionsOf({ lines, show }: ChartFacts, width: number): uPlot.Options {
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
  };
  return {
    width,
    height: HEIGHT,
    cursor: {
      sync: { key: CURSOR_KEY },
      points: { size: 6 },
      y: false,
      drag: { x: false, y: false },
    },
    legend: { live: true },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, LEAST)] } },
    axes: [
      { ...axis, space: 80, values: (_, ticks) => ticks.map(clockText) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => show(tick)) },
    ],
    series: [
      { label: '', value: (_, at: number | null) => (at === null ? '' : EXACT.format(at * 1_000)) },
      ...lines.map((line) => seriesOf(line, show)),
    ],
  };
}

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The time of day, and the date at midnight. */
function clockText(seconds: number): string {
  const date = new Date(seconds * 1_000);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return (isMidnight ? DAY : CLOCK).format(date);
}

function seriesOf(
  { name, tone, isBar = false }: Line,
  show: (value: number) => string,
): uPlot.Series {
  const stroke = colour(`--${tone}`);
  const bars = uPlot.paths.bars?.({ size: [0.7, 12] });
  return {
    label: name,
    stroke,
    width: 1.5,
    points: { show: false },
    value: (_, value: number | null) => (value === null ? '–' : show(value)),
    ...(isBar && bars !== undefined ? { fill: stroke, paths: bars } : {}),
  };
}

/** The canvas knows no style sheet: the colour that the page has now. */
function colour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
