import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import { GiveUp, Problem, RetryLater } from '#src/platform/errors.ts';
import { OutboundError } from '#src/platform/http.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import { connectorContext } from '#src/connectors/source/connector-context.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import { validateCredential, validateSettings } from './validate-config.ts';

/** An administrator waits for the result. */
const CHECK_DEADLINE_MS = 15_000;
/** Enough for two retries, but not for a long wait that the source asks for: the administrator can ask again. */
const MAX_RETRY_MS = 5_000;
const MAX_MESSAGE_LENGTH = 1_000;

const SOURCE_ERRORS = [
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
  OutboundError,
  GiveUp,
  RetryLater,
];

export interface SourceToCheck {
  workspaceId: WorkspaceId;
  connector: AnyConnector;
  settings: Record<string, unknown>;
  credential: Record<string, unknown>;
  ccPairId: CcPairId | null;
  signal: AbortSignal;
}

/**
 * Contacts the source with these settings and this credential.
 * @throws Problem BAD_REQUEST with the source's own message, or naming the invalid field
 */
export async function checkSource(
  services: ConnectorServices,
  source: SourceToCheck,
): Promise<void> {
  const { workspaceId, connector, ccPairId } = source;
  const settings = validateSettings(connector, source.settings, 'connector_specific_config');
  const credential = validateCredential(connector, source.credential, 'credential_json');
  const deadline = AbortSignal.timeout(CHECK_DEADLINE_MS);
  const signal = AbortSignal.any([source.signal, deadline]);
  const hurried = withShortRetries(services);
  const context = connectorContext(hurried, { workspaceId, connector, ccPairId, signal });
  try {
    await Promise.race([connector.check(settings, credential, context), whenAborted(signal)]);
  } catch (error) {
    source.signal.throwIfAborted();
    const message = deadline.aborted
      ? `${connector.title} did not answer within ${CHECK_DEADLINE_MS / 1_000} s. Try again, or check the address in connector_specific_config.`
      : sourceMessageOf(error);
    throw new Problem('BAD_REQUEST', `Connector validation error: ${message}`, { cause: error });
  }
}

/**
 * @throws the error itself when it is our own fault and not an answer of the source
 */
function sourceMessageOf(error: unknown): string {
  const known = SOURCE_ERRORS.find((one) => error instanceof one);
  if (!known || !(error instanceof Error)) throw error;
  return error.message.length > MAX_MESSAGE_LENGTH
    ? `${error.message.slice(0, MAX_MESSAGE_LENGTH)}…`
    : error.message;
}

/** Services for a check: what a run would retry for a minute fails soon, with the source's own message. */
function withShortRetries(services: ConnectorServices): ConnectorServices {
  let failure = 'The source asks to wait.';
  let waitedMs = 0;
  const { http } = services;
  return {
    ...services,
    http: {
      guard: http.guard,
      async send(request) {
        const host = URL.parse(request.url)?.host ?? '';
        try {
          const response = await http.send(request);
          failure = `${host} answered ${response.status}.`;
          return response;
        } catch (error) {
          if (error instanceof OutboundError) failure = `${host}: ${error.message}`;
          throw error;
        }
      },
      [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
    },
    async wait(ms, signal) {
      waitedMs += ms;
      if (waitedMs > MAX_RETRY_MS) throw new SourceUnavailable(failure, { retryAfterMs: ms });
      await services.wait(ms, signal);
    },
  };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new Error('The check was stopped.', { cause: signal.reason }));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
