// @module-tag database
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '#test/support/otlp-receiver.ts';
import { answersText, type ScriptedLlm, startScriptedLlm } from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const SECRET_TEXT = 'Zanzibar quokkas graze at midnight';
const ADDRESS = 'jane.doe@example.test';
const HEADER = 'collector-token-5f1c';

let collector: OtlpReceiver;
let hooks: WebhookReceiver;
let llm: ScriptedLlm;
let millrace: TestMillrace;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  hooks = await startReceiver();
  llm = await startScriptedLlm(answersText('The quokkas graze.'));
  millrace = await startTestMillrace({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${HEADER}`,
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'millrace-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab%20one',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
    DEFAULT_PLAN: 'Enterprise',
  });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await Promise.all([collector, hooks, llm].map((one) => one[Symbol.asyncDispose]()));
});

let traces = 0;
/** A caller's span, by which the spans of one request are found. */
function newCaller() {
  traces += 1;
  const traceId = `${traces}`.padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
}

async function spansOf(
  traceId: string,
  ...names: readonly (string | RegExp)[]
): Promise<ReceivedSpan[]> {
  const found = () => collector.spans.filter((span) => span.traceId === traceId);
  await expect
    .poll(() => {
      const present = found().map(({ name }) => name);
      return names.filter((name) => !present.some((one) => matches(one, name)));
    })
    .toEqual([]);
  return found();
}

function matches(name: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? name === wanted : wanted.test(name);
}

function spanNamed(spans: readonly ReceivedSpan[], wanted: string | RegExp): ReceivedSpan {
  const span = spans.find(({ name }) => matches(name, wanted));
  if (!span)
    throw new Error(`No span ${String(wanted)}: ${spans.map((one) => one.name).join(', ')}`);
  return span;
}

/** The names of a span's ancestors, from the root. */
function lineOf(spans: readonly ReceivedSpan[], span: ReceivedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentId);
  return [...(parent ? lineOf(spans, parent) : []), span.name];
}

const ingest = (id: string, headers: Record<string, string>) =>
  millrace.call(
    'POST',
    '/service-api/ingestion?page=hunter2',
    {
      document: {
        id,
        semantic_identifier: SECRET_TEXT,
        source: 'file',
        sections: [{ text: `${SECRET_TEXT}. Write to ${ADDRESS}.` }],
      },
    },
    { headers: { ...headers, 'x-request-id': `request-of-${id}` } },
  );

describe('a document', () => {
  it('is one trace, from the request to the job to its statements', async () => {
    const caller = newCaller();
    const { status } = await ingest('traced', caller.headers);
    expect(status).toBe(200);
    await millrace.settled();
    const spans = await spansOf(
      caller.traceId,
      'POST /service-api/ingestion',
      'process document-index',
    );
    const request = spanNamed(spans, 'POST /service-api/ingestion');
    expect(request).toMatchObject({
      kind: 'SPAN_KIND_SERVER',
      parentId: '00f067aa0ba902b7',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/service-api/ingestion',
        'http.response.status_code': 200,
        'millrace.request.id': 'request-of-traced',
      },
      resource: {
        'service.name': 'millrace-test',
        'deployment.environment.name': 'lab one',
      },
    });
    const job = spanNamed(spans, 'process document-index');
    expect(job).toMatchObject({
      kind: 'SPAN_KIND_CONSUMER',
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.operation.type': 'process',
        'messaging.destination.name': 'document-index',
        'millrace.job.outcome': 'completed',
        'millrace.request.id': 'request-of-traced',
      },
    });
    expect(lineOf(spans, job)).toEqual([
      'POST /service-api/ingestion',
      'flush documents',
      'send document-index',
      'process document-index',
    ]);
    const statements = spans.filter(({ parentId }) => parentId === job.spanId);
    const written = spanNamed(statements, /^COPY .*chunk/);
    expect(written).toMatchObject({
      kind: 'SPAN_KIND_CLIENT',
      attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'COPY' },
    });
    expect(written.attributes['db.query.text']).toMatch(/^copy /);
    expect(spanNamed(spans, /^(INSERT|UPDATE|WITH|SELECT) document/)).toBeDefined();
  });

  it('that shares its flush with others is linked to each of their requests', async () => {
    const callers = Array.from({ length: 6 }, newCaller);
    await Promise.all(callers.map(({ headers }, n) => ingest(`shared-${n}`, headers)));
    await millrace.settled();
    const requests = await Promise.all(
      callers.map(async ({ traceId }) =>
        spanNamed(await spansOf(traceId, 'POST /service-api/ingestion'), /^POST/),
      ),
    );
    await expect
      .poll(() => {
        const jobs = collector.spans.filter(({ name }) => name === 'process document-index');
        return requests.filter(
          ({ traceId, spanId }) =>
            !jobs.some(
              (job) => job.traceId === traceId || job.links.includes(`${traceId}:${spanId}`),
            ),
        ).length;
      })
      .toBe(0);
    const linked = collector.spans.filter(
      ({ name, links }) => name === 'flush documents' && links.length > 0,
    );
    expect(linked.length).toBeGreaterThan(0);
  });
});

describe('a webhook', () => {
  it('belongs to the trace of the request, and its receiver learns nothing of that', async () => {
    await millrace.call('POST', '/webhook-endpoints', {
      url: hooks.url,
      event_types: ['document.indexed'],
    });
    const caller = newCaller();
    await ingest('announced', caller.headers);
    await expect.poll(() => hooks.requests.length).toBeGreaterThan(0);
    const spans = await spansOf(caller.traceId, 'process webhook-deliver', 'POST');
    const call = spanNamed(spans, 'POST');
    expect(call).toMatchObject({
      kind: 'SPAN_KIND_CLIENT',
      attributes: {
        'http.request.method': 'POST',
        'server.address': '127.0.0.1',
        'http.response.status_code': 204,
      },
    });
    expect(lineOf(spans, call).slice(-4)).toEqual([
      'process document-index',
      'send webhook-deliver',
      'process webhook-deliver',
      'POST',
    ]);
    for (const { headers } of hooks.requests) {
      expect(Object.keys(headers)).not.toContain('traceparent');
    }
  });
});

describe('an answer', () => {
  it('is a trace with the call of the model in it', async () => {
    const session = await millrace.call('POST', '/chat/create-chat-session', { persona_id: 0 });
    const caller = newCaller();
    const answer = await millrace.call(
      'POST',
      '/chat/send-chat-message',
      { chat_session_id: session.body.chat_session_id, message: `Who is ${ADDRESS}?` },
      { headers: caller.headers },
    );
    expect(answer.status).toBe(200);
    const spans = await spansOf(caller.traceId, 'POST /chat/send-chat-message', 'POST');
    expect(lineOf(spans, spanNamed(spans, 'POST'))[0]).toBe('POST /chat/send-chat-message');
    expect(llm.calls.length).toBeGreaterThan(0);
  });
});

describe('the caller', () => {
  it.each([
    ['no', undefined],
    ['an all-zero', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['a short', '00-4bf92f3577b34da6-00f067aa0ba902b7-01'],
    ['an upper-case', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01'],
    ['a forbidden version of', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ])('with %s traceparent gets a trace of its own', async (name, traceparent) => {
    const id = `odd-${name.replaceAll(/\W/g, '-')}`;
    await millrace.call('GET', '/me', undefined, {
      headers: { 'x-request-id': id, ...(traceparent !== undefined && { traceparent }) },
    });
    const own = (): ReceivedSpan | undefined =>
      collector.spans.find(({ attributes }) => attributes['millrace.request.id'] === id);
    await expect.poll(own).toBeDefined();
    expect(own()?.parentId).toBe('');
    expect(own()?.traceId).toMatch(/^[\da-f]{32}$/);
  });

  it('who is not sampled is not recorded, nor is the work for them', async () => {
    const unsampled = 'b'.repeat(32);
    await ingest('unsampled', { traceparent: `00-${unsampled}-00f067aa0ba902b7-00` });
    await millrace.settled();
    const caller = newCaller();
    await ingest('sampled-later', caller.headers);
    await spansOf(caller.traceId, 'process document-index');
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });
});

it('names its service to the collector, with the headers of the settings', () => {
  expect(collector.requests.length).toBeGreaterThan(0);
  for (const { path, headers } of collector.requests) {
    expect(path).toBe('/v1/traces');
    expect(headers['x-token']).toBe(HEADER);
    expect(headers['content-encoding']).toBe('gzip');
  }
});

it('sends no text, query, address, key or token', () => {
  const sent = Buffer.concat(collector.requests.map(({ bytes }) => bytes)).toString('latin1');
  for (const secret of [SECRET_TEXT, 'quokka', ADDRESS, 'hunter2', millrace.adminKey, HEADER]) {
    expect(sent.includes(secret), secret).toBe(false);
  }
});
