import { OutboundError, type OutboundResponse } from '#src/platform/http.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import type { WebhookServices } from './webhook-services.ts';
import type { ClaimedDelivery } from './delivery-ledger.ts';
import { signatureHeaders } from './sign.ts';
import type { Target } from './claim-endpoint.ts';

/** For the whole exchange, of which connecting may take 5 s (see `webhookHttp`). */
const TIMEOUT_MS = 15_000;
/** How much of an answer is read, and how much of that is kept. */
const MAX_ANSWER_BYTES = 65_536;
const KEPT_ANSWER_BYTES = 16_384;

export type AttemptErrorClass =
  /** The receiver answered, but not with 2xx. */
  | 'http_status'
  | 'redirect'
  | 'timeout'
  | 'connection'
  | 'dns'
  | 'tls'
  /** The address cannot be reached from here. */
  | 'refused'
  /** Our own network failed: no attempt of the receiver is used up. */
  | 'own_outage'
  | 'interrupted';

/** The result of one attempt. */
export interface AttemptResult {
  statusCode: number | null;
  /** Null when it was delivered. */
  failure: { class: AttemptErrorClass; message: string } | null;
  /** The beginning of the receiver's answer; null without an answer. */
  answer: string | null;
  /** What the receiver of a failed attempt asks for. */
  retryAfterMs: number | null;
  durationMs: number;
}

/**
 * Signs and posts a delivery once. Only 2xx is success; redirects are not followed. Throws only the signal's reason.
 */
export async function sendDelivery(
  { webhookHttp, clock }: Pick<WebhookServices, 'webhookHttp' | 'clock'>,
  { url, secrets }: Target,
  { eventId, payload }: Pick<ClaimedDelivery, 'eventId' | 'payload'>,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const now = clock();
  const timestampSeconds = Math.floor(now.getTime() / 1_000);
  try {
    const answer = await webhookHttp.send({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders(secrets, { id: eventId, timestampSeconds, body: payload }),
      },
      body: payload,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
      excess: 'cut',
    });
    const failure = failureOf(answer);
    return {
      statusCode: answer.status,
      failure,
      answer: answer.bytes.length === 0 ? '' : excerptOf(answer.bytes),
      retryAfterMs: failure && retryAfterMs(answer.headers.get('retry-after'), now.getTime()),
      durationMs: durationMs(),
    };
  } catch (error) {
    signal.throwIfAborted();
    return {
      statusCode: null,
      failure: explain(error),
      answer: null,
      retryAfterMs: null,
      durationMs: durationMs(),
    };
  }
}

function failureOf(answer: OutboundResponse): AttemptResult['failure'] {
  const { status } = answer;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400 && answer.headers.has('location')) {
    return {
      class: 'redirect',
      message: `The receiver answered ${status}: redirects are not followed. Change the endpoint's URL to the redirect target.`,
    };
  }
  return { class: 'http_status', message: `The receiver answered ${status}.` };
}

/** Text columns cannot store U+0000; invalid UTF-8 becomes U+FFFD, which takes more bytes than were received. */
function excerptOf(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes).replaceAll('\0', '');
  // With `stream`, a truncated character at the end is dropped.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, KEPT_ANSWER_BYTES), {
    stream: true,
  });
}

/** No file descriptors, ports or network here, no answer from our resolver, no connection through our proxy. */
const OWN_CODES =
  /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|ENETDOWN|ENETUNREACH|EAI_AGAIN|UND_ERR_PRX_.*)$/;
const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)|_CERT/;

function explain(error: unknown): { class: AttemptErrorClass; message: string } {
  if (!(error instanceof OutboundError)) {
    return { class: 'connection', message: error instanceof Error ? error.message : String(error) };
  }
  return { class: classOf(error), message: error.message };
}

function classOf({ kind, code }: OutboundError): AttemptErrorClass {
  if (OWN_CODES.test(code)) return 'own_outage';
  if (kind === 'refused' || kind === 'timeout') return kind;
  if (code === 'ENOTFOUND') return 'dns';
  return TLS_CODES.test(code) ? 'tls' : 'connection';
}
