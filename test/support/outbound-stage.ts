import { createMailer } from '#src/email/smtp.ts';
import { createHttpClient } from '#src/platform/http.ts';
import { silentDns } from './email-stage.ts';
import { FakeResolver } from './forbidden-hosts.ts';
import { startTestMillrace, type TestMillrace } from './test-millrace.ts';

/** A Millrace whose DNS the test controls: every customer-triggered call uses this resolver. */
export interface OutboundStage extends AsyncDisposable {
  readonly millrace: TestMillrace;
  readonly resolver: FakeResolver;
}

export async function startOutboundStage(
  allowCidrs: string[],
  overrides: Record<string, string> = {},
): Promise<OutboundStage> {
  await using opened = new AsyncDisposableStack();
  const resolver = new FakeResolver();
  const client = { allowCidrs, proxyUrl: null, connectTimeoutMs: 2_000, lookup: resolver.resolve };
  const http = opened.use(createHttpClient(client));
  const webhookHttp = opened.use(createHttpClient({ ...client, plainHttp: 'opened' }));
  const mailer = createMailer({ guard: http.guard, allowPort25: false });
  const millrace = opened.use(
    await startTestMillrace({
      DEFAULT_PLAN: 'Enterprise',
      LEAD_REQUEST_GAP_MS: '0',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...overrides,
    }),
  );
  // The API and the workers read these on each use.
  Object.assign(millrace.services, { http, webhookHttp, mailer, dns: silentDns, renderer: null });
  const resources = opened.move();
  return { millrace, resolver, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
