import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import type { TraceOrigin } from './tracing.ts';

/** How many requests that share a piece of work are linked to it. */
export const MAX_LINKS = 32;

/** What a span continues; the root for an origin that is absent or unreadable. */
export function remoteContext(traceparent: string | undefined, traceState?: string): Context {
  const parent = readTraceparent(traceparent);
  if (parent === null) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...parent,
    ...(traceState !== undefined && { traceState: new TraceState(traceState) }),
  });
}

export function linksTo(origins: TraceOrigin): Link[] {
  return origins.flatMap((origin) => {
    const context = readTraceparent(origin);
    return context === null ? [] : [{ context }];
  });
}

function readTraceparent(text: string | undefined): SpanContext | null {
  const parsed = text === undefined ? null : parseTraceParent(text);
  return parsed === null ? null : { ...parsed, isRemote: true };
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Each once; those that are sampled, if any is, else one that says so. */
export function sampledFirst(origins: readonly TraceOrigin[]): string[] {
  const all = [...new Set(origins.flat())];
  const isSampled = (origin: string): boolean =>
    ((readTraceparent(origin)?.traceFlags ?? TraceFlags.NONE) & TraceFlags.SAMPLED) !== 0;
  const sampled = all.filter(isSampled);
  return (sampled.length > 0 ? sampled : all.slice(0, 1)).slice(0, MAX_LINKS);
}
