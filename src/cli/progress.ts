import { Presets, SingleBar } from 'cli-progress';
import { formatCount, formatSeconds, type OutputStream } from './terminal.ts';

/** A bar on a terminal, a line every few seconds elsewhere. */
export interface Progress {
  /** `total` is null while unknown; `secondsLeft` replaces the built-in estimate when the service has one. */
  update(state: { done: number; total: number | null; secondsLeft?: number | null }): void;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

/** @param verb the activity, such as `Sending` */
export function startProgress(
  stream: OutputStream,
  verb: string,
  nowMs: () => number = () => performance.now(),
): Progress {
  const startedMs = nowMs();
  const rateOf = (done: number): number => done / Math.max((nowMs() - startedMs) / 1000, 0.001);
  return stream.isTTY ? startBar(stream, verb, rateOf) : startLines(stream, verb, rateOf);
}

function startBar(stream: OutputStream, verb: string, rateOf: (done: number) => number): Progress {
  const bar = new SingleBar(
    {
      format: `${verb} {bar} {value}/{total}  {rate}/s  {left}`,
      stream,
      barsize: 30,
      hideCursor: true,
      gracefulExit: false,
      emptyOnZero: true,
    },
    Presets.shades_classic,
  );
  bar.start(0, 0, { rate: '0', left: '' });
  return {
    update({ done, total, secondsLeft }) {
      const rate = rateOf(done);
      bar.setTotal(Math.max(total ?? done, done));
      bar.update(done, {
        rate: rate.toFixed(rate < 10 ? 1 : 0),
        left: leftText(secondsLeft ?? estimate(done, total, rate)),
      });
    },
    stop: () => bar.stop(),
  };
}

function startLines(
  stream: OutputStream,
  verb: string,
  rateOf: (done: number) => number,
): Progress {
  let latest = '';
  let printed = '';
  const timer = setInterval(() => {
    if (latest !== printed) stream.write(`${latest}\n`);
    printed = latest;
  }, LINE_EVERY_MS);
  timer.unref();
  return {
    update({ done, total, secondsLeft }) {
      const rate = rateOf(done);
      const of = total === null ? '' : ` of ${formatCount(total)}`;
      const left = leftText(secondsLeft ?? estimate(done, total, rate));
      latest = `${verb} ${formatCount(done)}${of}, ${rate.toFixed(rate < 10 ? 1 : 0)}/s${left && `, ${left}`}`;
    },
    stop: () => clearInterval(timer),
  };
}

function estimate(done: number, total: number | null, rate: number): number | null {
  return total === null || done === 0 ? null : (total - done) / rate;
}

function leftText(seconds: number | null): string {
  return seconds === null || seconds < 1 ? '' : `about ${formatSeconds(seconds)} left`;
}
