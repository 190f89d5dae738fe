import { describe, expect, it } from 'vitest';
import { classOf, observe, quantileMs, quantilesOf } from '#src/operations/histogram.ts';
import { createJobHistory } from '#src/operations/job-history.ts';
import { QUEUE_FACTS } from '#src/operations/queue-facts.ts';
import { QUEUES } from '#queues/index.ts';

describe('a histogram', () => {
  it('gives quantiles to within a fifth', () => {
    const histogram: number[] = [];
    for (let ms = 1; ms <= 1_000; ms += 1) observe(histogram, ms);
    expect(quantileMs(histogram, 0.5)).toBeGreaterThan(500 * 0.8);
    expect(quantileMs(histogram, 0.5)).toBeLessThan(500 * 1.2);
    expect(quantileMs(histogram, 0.95)).toBeGreaterThan(950 * 0.8);
    expect(quantileMs(histogram, 0.95)).toBeLessThan(950 * 1.2);
  });

  it.each([1.2, 3, 17, 250, 9_999, 3_600_000])('puts %s ms into a class around it', (ms) => {
    const histogram: number[] = [];
    observe(histogram, ms);
    const middle = quantileMs(histogram, 0.5) ?? 0;
    expect(middle / ms).toBeGreaterThan(0.8);
    expect(middle / ms).toBeLessThan(1.2);
  });

  it('of a few durations has its median at the middle one', () => {
    const histogram: number[] = [];
    for (const ms of [1, 100, 10_000]) observe(histogram, ms);
    const median = quantileMs(histogram, 0.5) ?? 0;
    expect(median / 100).toBeGreaterThan(0.8);
    expect(median / 100).toBeLessThan(1.2);
  });

  it('puts every duration into one bucket, and no duration into none', () => {
    for (const ms of [-5, 0, NaN, 1e12, Infinity]) {
      expect(classOf(ms)).toBeGreaterThanOrEqual(0);
      expect(classOf(ms)).toBeLessThan(48);
    }
    expect(quantilesOf([])).toBeNull();
  });
});

describe('the history of a process', () => {
  function open() {
    let now = new Date('2026-11-23T12:00:30Z');
    const history = createJobHistory(() => now, new Set(['document-index']));
    const job = {
      queue: 'lead-scrape',
      jobId: '1',
      attempt: 1,
      requestId: null,
      payload: { scrapeId: 'a' },
      dueAt: new Date('2026-11-23T12:00:29Z'),
    };
    const advance = (ms: number): void => {
      now = new Date(now.getTime() + ms);
    };
    return { history, job, advance };
  }

  it('gives a minute out once it is over, once', () => {
    const { history, job, advance } = open();
    history.begin(job)('done');
    history.begin(job)('failed');
    history.begin({ ...job, dueAt: null })('retried');
    expect(history.take('over')).toEqual([]);
    advance(30_000);
    const [minute] = history.take('over');
    expect(minute).toMatchObject({ finished: 3, failed: 1, retried: 1, queue: 'lead-scrape' });
    expect(minute?.waits.reduce((a, b) => a + b)).toBe(2);
    expect(minute?.runs.reduce((a, b) => a + b)).toBe(3);
    expect(history.take('all')).toEqual([]);
  });

  it('keeps what could not be written', () => {
    const { history, job, advance } = open();
    history.begin(job)('done');
    advance(60_000);
    const taken = history.take('over');
    history.giveBack(taken);
    expect(history.take('over')).toEqual(taken);
  });

  it('does not count interrupted attempts, nor jobs whose handler counts rows', () => {
    const { history, job } = open();
    history.begin(job)(null);
    history.begin({ ...job, queue: 'document-index' })('done');
    expect(history.take('all')).toEqual([]);
    history.count('document-index', 'done', { waitMs: 1, runMs: 2 });
    expect(history.take('all')).toHaveLength(1);
  });

  it('knows what runs, longest first, with the rows that it is about', () => {
    const { history, job, advance } = open();
    history.begin(job);
    advance(5_000);
    const end = history.begin({ ...job, jobId: '2', payload: { documentIds: [7, 8] } });
    expect(history.active().get('lead-scrape')).toBe(2);
    expect(history.running(1)).toMatchObject([
      { job_id: '1', subjects: [{ kind: 'scrape', id: 'a' }] },
    ]);
    expect(history.running(9)[1]?.subjects).toEqual([
      { kind: 'document', id: '7' },
      { kind: 'document', id: '8' },
    ]);
    end('done');
    expect(history.active().get('lead-scrape')).toBe(1);
  });
});

it('every queue has facts for operators', () => {
  expect(Object.keys(QUEUE_FACTS).toSorted()).toEqual(QUEUES.map(({ name }) => name).toSorted());
});
