import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

/** A span as it was received. Ids are hex. */
export interface ReceivedSpan {
  name: string;
  /** As in the protocol: SPAN_KIND_SERVER and so on. */
  kind: string;
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentId: string;
  attributes: Record<string, unknown>;
  /** `trace id:span id` of each link. */
  links: string[];
  status: string;
  durationMs: number;
  resource: Record<string, unknown>;
}

export interface OtlpReceiver extends AsyncDisposable {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly requests: { path: string; headers: IncomingHttpHeaders; bytes: Buffer }[];
  /** The status of further answers. */
  answerWith(status: number): void;
}

const PROTOCOL = resolve(import.meta.dirname, '../fixtures/otlp');

/** A collector on loopback that reads what it gets by the protocol's own definitions. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const type = await exportRequestType();
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void readBody(request).then((bytes) => {
      requests.push({ path: request.url ?? '', headers: request.headers, bytes });
      if (status === 200) spans.push(...spansOf(type, bytes));
      response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    answerWith(next) {
      status = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** https://github.com/open-telemetry/opentelemetry-proto */
async function exportRequestType(): Promise<protobuf.Type> {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => resolve(PROTOCOL, target);
  await root.load('opentelemetry/proto/collector/trace/v1/trace_service.proto');
  return root.lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest');
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
}

interface KeyValue {
  key: string;
  value?: Record<string, unknown>;
}

/** The parts of the protocol's messages that tests look at. */
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: {
      spans: {
        name: string;
        kind: string;
        traceId: Buffer;
        spanId: Buffer;
        parentSpanId: Buffer;
        attributes: KeyValue[];
        links: { traceId: Buffer; spanId: Buffer }[];
        status: { code: string } | null;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
      }[];
    }[];
  }[];
}

function spansOf(type: protobuf.Type, bytes: Buffer): ReceivedSpan[] {
  const decoded = type.toObject(type.decode(bytes), {
    enums: String,
    longs: String,
    defaults: true,
    // Only what its type defines.
  }) as unknown as ExportRequest;
  return decoded.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: span.kind,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentId: hex(span.parentSpanId),
        attributes: valuesOf(span.attributes),
        links: span.links.map((link) => `${hex(link.traceId)}:${hex(link.spanId)}`),
        status: span.status?.code ?? 'STATUS_CODE_UNSET',
        durationMs:
          Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000,
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Each value has one of the protocol's kinds. */
function valuesOf(pairs: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const [first] = Object.values(value ?? {});
      return [
        key,
        typeof first === 'string' && 'intValue' in (value ?? {}) ? Number(first) : first,
      ];
    }),
  );
}
