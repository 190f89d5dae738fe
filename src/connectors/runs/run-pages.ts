import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { ConnectorPage, PollContext } from '#src/connectors/source/connector.ts';
import { EngineFault, asEngineFault } from '#src/connectors/source/connector-context.ts';
import type { OpenPair } from './open-pair.ts';
import { findFailedDocuments, sendFailedAgain } from './retry-failed.ts';
import { CredentialRejected, SourceUnavailable } from '#src/connectors/source/source-errors.ts';

type PageServices = Pick<ConnectorServices, 'db' | 'documentAcceptor' | 'log'>;

/** A page, and where the run continues after it. */
export interface NumberedPage {
  page: Omit<ConnectorPage<unknown>, 'checkpoint'>;
  /** Undefined: the run's checkpoint stays. */
  checkpoint: { value: unknown } | undefined;
}

/** A run begins with what failed in earlier runs. */
export async function* allPages(
  services: PageServices,
  run: ClaimedRun,
  opened: OpenPair & { from: unknown },
  context: PollContext,
): AsyncGenerator<NumberedPage, void> {
  const { connector, settings, credential, from } = opened;
  if (from === null) {
    await asEngineFault(sendFailedAgain(services, run.pair));
    yield* pagesAgain(services, run, opened, context);
  }
  for await (const page of connector.poll(settings, credential, from, context)) {
    yield { page, checkpoint: { value: page.checkpoint } };
  }
}

/** An old failure that cannot be fixed must not keep the run from everything else: it stays open. */
async function* pagesAgain(
  services: PageServices,
  run: ClaimedRun,
  { connector, settings, credential }: OpenPair,
  context: PollContext,
): AsyncGenerator<NumberedPage, void> {
  if (!connector.fetchAgain) return;
  const failed = await asEngineFault(findFailedDocuments(services.db, run));
  if (failed.length === 0) return;
  try {
    for await (const page of connector.fetchAgain(settings, credential, failed, context)) {
      yield { page, checkpoint: undefined };
    }
  } catch (error) {
    const wasTold = error instanceof SourceUnavailable && error.retryAfterMs !== null;
    const isFinal = error instanceof CredentialRejected || error instanceof EngineFault;
    if (context.signal.aborted || wasTold || isFinal) throw error;
    services.log.warn(
      { error: String(error), ccPairId: run.pair.id },
      'failed documents not fetched again',
    );
  }
}

/** Errors thrown by the connector concern the source; errors from our own side do not. */
export async function nextPage(
  pages: AsyncIterator<NumberedPage>,
  signal: AbortSignal,
): Promise<IteratorResult<NumberedPage> | Error> {
  try {
    return await orAborted(pages.next(), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineFault) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A connector that ignores its signal must not delay anything. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
