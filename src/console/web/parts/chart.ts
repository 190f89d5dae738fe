import uPlot from 'uplot';
import { useEffect, useRef, useState } from 'preact/hooks';
import { theme } from '#src/console/web/data/theme.ts';
import { html, type Part } from './html.ts';
import { loneValues } from './lone-values.ts';

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

const HEIGHT = 150;
/** No smaller scale: ten jobs, or ten milliseconds. */
const LEAST = 10;
const CURSOR_KEY = 'operations';

/** Figures over time. What it shows is also said in words, for whoever does not see it. */
export function chart(given: ChartFacts): Part {
  return html`<${Chart} ...${given} />`;
}

function Chart(given: ChartFacts): Part {
  const { title, times, lines, show } = given;
  const [pointed, setPointed] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shape = `${theme.value} ${lines.map(({ name }) => name).join()}`;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf(given, element.clientWidth, setPointed),
        dataOf(given),
        element,
      );
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
    <div class="plot" ref=${place} aria-hidden="true"></div>
    ${legend(given, pointed)}
  </figure>`;
}

/** The values at the time that the pointer is at, otherwise the latest. */
function legend({ times, lines, show }: ChartFacts, pointed: number | null): Part {
  const at = pointed === null ? undefined : times[pointed];
  const valueOf = ({ values }: Line): number | null =>
    pointed === null ? (latestOf(values) ?? null) : (values[pointed] ?? null);
  return html`<div class="legend" aria-hidden="true">
    ${lines.map((line) => {
      const value = valueOf(line);
      return html`<span class=${line.tone} key=${line.name}
        ><i></i>${line.name} ${value === null ? '–' : show(value)}</span
      >`;
    })}
    <span class="end">${at === undefined ? 'latest' : EXACT.format(at * 1_000)}</span>
  </div>`;
}

function latestOf(values: Line['values']): number | undefined {
  return values.findLast((value) => value !== null) ?? undefined;
}

function summary({ name, values }: Line, show: (value: number) => string): string {
  const present = values.filter((value) => value !== null);
  const latest = latestOf(values);
  if (latest === undefined) return `${name} none`;
  return `${name} now ${show(latest)}, at most ${show(Math.max(...present))}`;
}

function dataOf({ times, lines }: ChartFacts): uPlot.AlignedData {
  // A bar of nothing would be a dash at the bottom.
  const drawn = ({ values, isBar }: Line): (number | null)[] =>
    isBar ? values.map((value) => value || null) : [...values];
  return [[...times], ...lines.map(drawn)];
}

function optionsOf(
  { lines, show }: ChartFacts,
  width: number,
  point: (index: number | null) => void,
): uPlot.Options {
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
    legend: { show: false },
    hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, LEAST)] } },
    axes: [
      { ...axis, space: 80, size: 28, values: (_, ticks) => ticks.map(clockText) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => show(tick)) },
    ],
    series: [{}, ...lines.map(seriesOf)],
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

function seriesOf({ name, tone, isBar = false }: Line): uPlot.Series {
  const stroke = colour(`--${tone}`);
  const bars = uPlot.paths.bars?.({ size: [0.7, 12] });
  return {
    label: name,
    stroke,
    width: 1.5,
    points: {
      show: false,
      size: 5,
      fill: stroke,
      ...(!isBar && { filter: (plot, series) => loneValues(plot.data[series] ?? []) }),
    },
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
