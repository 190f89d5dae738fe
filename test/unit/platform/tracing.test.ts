import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '#src/platform/config.ts';
import { openTracing, type Tracing } from '#src/platform/tracing.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts';

const PART = { kind: 'internal' } as const;
const CALLER = `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`;
const OTHER = `00-${'b'.repeat(32)}-${'2'.repeat(16)}-01`;
const UNSAMPLED = `00-${'c'.repeat(32)}-${'3'.repeat(16)}-00`;

let collector: OtlpReceiver;
beforeEach(async () => {
  collector = await startOtlpReceiver();
});
afterEach(() => collector[Symbol.asyncDispose]());

interface Line {
  level: number;
  msg: string;
  error?: string;
}

async function start(settings: Record<string, string> = {}) {
  const lines: Line[] = [];
  const log = pino(
    { level: 'info' },
    { write: (line) => void lines.push(JSON.parse(line) as Line) },
  );
  const config = parseConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...settings,
  });
  return { tracing: await openTracing(config, { log, version: '1.2.3' }), lines };
}

async function spanIn(tracing: Tracing, name = 'work'): Promise<void> {
  const span = tracing.open(name, PART);
  await span.run(async () => {});
  span.end();
}

describe('spans', () => {
  it('are sent when the process ends, though their time has not come', async () => {
    const { tracing } = await start({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
    await spanIn(tracing);
    expect(collector.spans).toEqual([]);
    await tracing.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['work']);
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'millrace',
      'service.version': '1.2.3',
    });
  });

  it('belong to the request around them, whatever they await', async () => {
    const { tracing } = await start();
    const request = tracing.open('request', { kind: 'server' });
    await request.run(() =>
      tracing.step('part', PART, async () => {
        await new Promise(setImmediate);
        tracing.record('statement', { kind: 'client', durationMs: 250, failure: '23505' });
      }),
    );
    request.end();
    await tracing.close();
    const named = new Map(collector.spans.map((span) => [span.name, span]));
    expect(named.get('part')?.parentId).toBe(named.get('request')?.spanId);
    const statement = named.get('statement');
    expect(statement?.parentId).toBe(named.get('part')?.spanId);
    expect(statement).toMatchObject({
      status: 'STATUS_CODE_ERROR',
      attributes: { 'error.type': '23505' },
    });
    expect(statement?.durationMs).toBeCloseTo(250, 0);
  });

  it('are not made for what happens outside of requests and jobs', async () => {
    const { tracing } = await start();
    await tracing.step('part', PART, async () => {});
    tracing.record('statement', { kind: 'client', durationMs: 1, failure: null });
    expect(tracing.origin()).toEqual([]);
    await tracing.close();
    expect(collector.spans).toEqual([]);
  });

  it('name the class of an error, never its message', async () => {
    const { tracing } = await start();
    const request = tracing.open('request', { kind: 'server' });
    const failing = request.run(() =>
      tracing.step('part', PART, () => Promise.reject(new RangeError('jane@example.test'))),
    );
    await expect(failing).rejects.toThrow('jane');
    request.end();
    await tracing.close();
    const part = collector.spans.find(({ name }) => name === 'part');
    expect(part?.attributes['error.type']).toBe('RangeError');
    const sent = Buffer.concat(collector.requests.map(({ bytes }) => bytes)).toString('latin1');
    expect(sent).not.toContain('jane');
  });
});

describe('work for several requests', () => {
  it('continues the first that is sampled and is linked to the others', async () => {
    const { tracing } = await start();
    let sentOn: readonly string[] = [];
    await tracing.step(
      'flush',
      { ...PART, origins: [[UNSAMPLED], [CALLER], [CALLER], [OTHER]] },
      async () => {
        sentOn = tracing.origin();
      },
    );
    const job = tracing.open('job', { kind: 'consumer', origin: sentOn });
    job.end();
    await tracing.close();
    const [flush, taken] = collector.spans;
    expect(flush).toMatchObject({ traceId: 'a'.repeat(32), parentId: '1'.repeat(16) });
    expect(flush?.links).toEqual([`${'b'.repeat(32)}:${'2'.repeat(16)}`]);
    expect(taken).toMatchObject({ traceId: 'a'.repeat(32), parentId: flush?.spanId });
    expect(taken?.links).toEqual(flush?.links);
  });

  it('that were all not sampled is not recorded either', async () => {
    const { tracing } = await start();
    await tracing.step('flush', { ...PART, origins: [[UNSAMPLED]] }, async () => {});
    await tracing.close();
    expect(collector.spans).toEqual([]);
  });
});

describe('a collector that is away', () => {
  it('costs one line, and one when it is back', async () => {
    const { tracing, lines } = await start();
    collector.answerWith(400);
    for (let n = 1; n <= 3; n += 1) {
      await spanIn(tracing);
      await expect.poll(() => collector.requests.length).toBeGreaterThanOrEqual(n);
    }
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]?.msg).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    collector.answerWith(200);
    await spanIn(tracing);
    await expect.poll(() => lines.length).toBe(2);
    expect(lines[1]?.msg).toContain('again');
    await tracing.close();
    expect(lines.length).toBe(2);
  });

  it('keeps no more spans than the queue holds', async () => {
    const { tracing } = await start({
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
    });
    for (let n = 0; n < 1_000; n += 1) tracing.open('work', PART).end();
    await tracing.close();
    // The batch that is being sent counts apart.
    expect(collector.spans.length).toBeLessThanOrEqual(200);
  });

  it('does not hold up the end of the process', async () => {
    const { tracing, lines } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    await spanIn(tracing);
    await tracing.close();
    expect(lines.map(({ level }) => level)).toEqual([40]);
  });
});

it('samples by the settings', async () => {
  const { tracing } = await start({
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await spanIn(tracing, 'own');
  tracing.open('continued', { ...PART, origin: [CALLER] }).end();
  await tracing.close();
  expect(collector.spans.map(({ name }) => name)).toEqual(['continued']);
});

describe('settings', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'token'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%E0%A4%A'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'brotli'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
    ['OTEL_SDK_DISABLED', 'perhaps'],
  ])('%s=%s is refused by name', (name, value) => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', [name]: value };
    expect(() => parseConfig(settings)).toThrow(name);
  });

  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' }],
    // Set for other software on the machine.
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ])('%j leave traces off', async (settings) => {
    const log = pino({ level: 'silent' });
    const tracing = await openTracing(parseConfig(settings), { log, version: '1' });
    expect(tracing.isOn).toBe(false);
  });

  it('name the address of traces alone, which is used as it is', async () => {
    const { tracing } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
    });
    await spanIn(tracing);
    await tracing.close();
    expect(collector.requests.map(({ path }) => path)).toEqual(['/own/path']);
  });
});
