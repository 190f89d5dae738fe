import type Stripe from 'stripe';
import type { Config } from '#src/platform/config.ts';
import { Problem } from '#src/platform/errors.ts';

export type { Stripe };

type StripeSettings = Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_API_URL'>;

const TIMEOUT_MS = 10_000;
const MAX_NETWORK_RETRIES = 2;
/** Maximum age of a signature; Stripe signs again for every attempt. */
const TOLERANCE_SECONDS = 300;

/** Two hundred modules, loaded only where payments are taken. */
const loadLibrary = async (): Promise<typeof Stripe> => (await import('stripe')).default;

/** Client for Stripe with the operator's key; null without `STRIPE_SECRET_KEY`. Opens no connection. */
export async function openStripe(config: StripeSettings): Promise<Stripe | null> {
  if (config.STRIPE_SECRET_KEY === undefined) return null;
  const Client = await loadLibrary();
  return new Client(config.STRIPE_SECRET_KEY, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: MAX_NETWORK_RETRIES,
    telemetry: false,
    ...(config.STRIPE_API_URL === undefined ? {} : addressOf(config.STRIPE_API_URL)),
  });
}

/** @throws Problem CONFLICT that names the missing setting */
export async function requireStripe(config: StripeSettings): Promise<Stripe> {
  const stripe = await openStripe(config);
  if (stripe) return stripe;
  throw new Problem(
    'CONFLICT',
    'This service accepts no card payments: STRIPE_SECRET_KEY is not set. The operator can set it, or change the plan with: npx millrace plan set',
  );
}

/**
 * The JSON of an event that Stripe signed with one of the secrets within the last five minutes.
 * @throws Problem BAD_REQUEST
 */
export async function openSignedEvent(
  signed: { payload: Buffer; signature: string | undefined; receivedAt: Date },
  secrets: readonly string[],
): Promise<unknown> {
  const library = await loadLibrary();
  if (!secrets.some((secret) => isSignedWith(library, signed, secret))) {
    throw new Problem(
      'BAD_REQUEST',
      'The Stripe-Signature header is missing, too old, or does not match the body. Check that STRIPE_WEBHOOK_SECRET is the signing secret of this endpoint, and that nothing on the way changes the body.',
    );
  }
  try {
    return JSON.parse(signed.payload.toString('utf8'));
  } catch (error) {
    throw new Problem('BAD_REQUEST', 'The body is signed but is not JSON.', { cause: error });
  }
}

function isSignedWith(
  { webhooks, errors }: typeof Stripe,
  { payload, signature, receivedAt }: Parameters<typeof openSignedEvent>[0],
  secret: string,
): boolean {
  try {
    webhooks.constructEvent(
      payload,
      signature ?? '',
      secret,
      TOLERANCE_SECONDS,
      undefined,
      receivedAt.getTime(),
    );
    return true;
  } catch (error) {
    // Errors after the signature check concern the event: it is a thin event, or not JSON.
    return !(error instanceof errors.StripeSignatureVerificationError);
  }
}

/**
 * Runs a call to Stripe.
 * @throws Problem BAD_GATEWAY that classifies the failure; Stripe's own messages may quote keys and are omitted
 */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isStripeFailure(error)) throw error;
    throw new Problem('BAD_GATEWAY', `${refusalOf(error)} ${remedyOf(error)}`);
  }
}

/** Whether Stripe says that the customer named in a call does not exist (any more). */
export function isMissingCustomer(error: unknown): boolean {
  return (
    isStripeFailure(error) &&
    error.type === 'StripeInvalidRequestError' &&
    error.code === 'resource_missing' &&
    error.param === 'customer'
  );
}

/** Whether the same call may succeed later. */
export function isTransient(error: unknown): boolean {
  return (
    isStripeFailure(error) &&
    (error.statusCode === undefined || error.statusCode === 429 || error.statusCode >= 500)
  );
}

/** Whether Stripe answered with a refusal. */
export function isRefusal(error: unknown): boolean {
  return isStripeFailure(error) && !isTransient(error);
}

type StripeFailure = InstanceType<typeof Stripe.errors.StripeError>;

/** By its `type`, which names its class (https://docs.stripe.com/error-handling?lang=node). */
function isStripeFailure(error: unknown): error is StripeFailure {
  return (
    error instanceof Error &&
    'type' in error &&
    typeof error.type === 'string' &&
    error.type.startsWith('Stripe')
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  StripeAuthenticationError: 'Stripe does not recognize the secret key of this service',
  StripePermissionError: 'The secret key of this service lacks the Stripe permission for this',
  StripeInvalidRequestError: 'Stripe rejected the request as invalid',
  StripeIdempotencyError:
    'Stripe received a different request with the same idempotency key a moment ago',
  StripeCardError: 'Stripe could not charge the card',
  StripeRateLimitError: 'Stripe is receiving too many requests at the moment',
  StripeAPIError: 'Stripe has an internal error',
};

/** A plain sentence, with the details that identify the call in Stripe's log. */
function refusalOf(error: StripeFailure): string {
  if (error.type === 'StripeConnectionError') return 'Stripe could not be reached.';
  const details = [
    error.code,
    error.param && `parameter ${error.param}`,
    error.requestId && `request ${error.requestId}`,
  ];
  const shown = details.filter(Boolean).join(', ');
  const refusal = REFUSALS[error.type] ?? 'Stripe refused';
  return `${refusal}${shown === '' ? '' : ` (${shown})`}.`;
}

function remedyOf(error: StripeFailure): string {
  if (isTransient(error)) return 'Try again shortly.';
  if (error.statusCode === 401 || error.statusCode === 403)
    return 'The operator should check STRIPE_SECRET_KEY.';
  return 'See the request log in the Stripe dashboard.';
}

function addressOf(url: string): { host: string; port: number; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  return {
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
  };
}
