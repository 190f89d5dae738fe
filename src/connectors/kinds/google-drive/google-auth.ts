import type { CryptoKey } from 'jose';
import { z } from 'zod';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { GOOGLE_HABITS, readGoogleError } from './google-errors.ts';
import { CredentialRejected } from '#src/connectors/source/source-errors.ts';

const DEFAULT_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const ASSERTION_SECONDS = 3_600;
/** A token that expires sooner is not used: the request may have to queue. */
const RENEW_BEFORE_MS = 60_000;

const tokenUri = z.url({ protocol: /^https?$/ }).nullish();
const serviceAccountKey = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().nullish(),
  token_uri: tokenUri,
});
const userTokens = z.object({
  refresh_token: z.string().min(1),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  token_uri: tokenUri,
});

/** A JSON document in a string: people download it as a file and paste it whole. */
function jsonText(schema: z.ZodType, description: string) {
  return z
    .string()
    .superRefine((text, context) => {
      const parsed = schema.safeParse(parseJson(text));
      const [issue] = parsed.error?.issues ?? [];
      if (issue)
        context.addIssue(`${issue.path.join('.') || 'is not a JSON object'}: ${issue.message}`);
    })
    .nullish()
    .describe(description);
}

export const googleCredential = z
  .strictObject({
    google_service_account_key: jsonText(
      serviceAccountKey,
      'The key file of a service account, whole, as one string.',
    ).meta({ title: 'Key of a service account', writeOnly: true }),
    google_tokens: jsonText(
      userTokens,
      'JSON in a string with refresh_token, client_id and client_secret of a user who gave consent.',
    ).meta({ title: 'Tokens of a user', writeOnly: true }),
    google_primary_admin: z
      .email()
      .nullish()
      .describe('The user that the service account acts as; it needs domain-wide delegation.')
      .meta({ title: 'Acts as' }),
    authentication_method: z
      .enum(['oauth_interactive', 'uploaded'])
      .nullish()
      .describe('How the credential was made. Not used.')
      .meta({ deprecated: true }),
  })
  .refine(
    (keys) => Boolean(keys.google_service_account_key) !== Boolean(keys.google_tokens),
    'Give one of google_service_account_key and google_tokens.',
  );

export type GoogleCredential = z.infer<typeof googleCredential>;

export interface GoogleAuth {
  /** False for the tokens of one user, who cannot impersonate another. */
  readonly canImpersonate: boolean;
  /**
   * @param subject the user to act as; null: the owner of the credential
   */
  token(subject: string | null, scopes: readonly string[]): Promise<string>;
  /** Called when the token was rejected: the next one will be new. */
  forget(token: string): void;
}

/**
 * Access tokens, kept for the run: for a service account by signed assertion (RFC 7523), for a user by refresh token
 * (RFC 6749 section 6).
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest,
 * https://developers.google.com/identity/protocols/oauth2/web-server#offline
 */
export function openGoogleAuth(
  credential: GoogleCredential,
  context: ConnectorContext,
  tokenUrl: string = DEFAULT_TOKEN_URL,
): GoogleAuth {
  const held = new Map<string, { token: string; untilMs: number }>();
  return {
    canImpersonate: Boolean(credential.google_service_account_key),
    async token(subject, scopes) {
      const key = `${subject ?? ''} ${scopes.join(' ')}`;
      const nowMs = context.clock().getTime();
      const current = held.get(key);
      if (current && current.untilMs - RENEW_BEFORE_MS > nowMs) return current.token;
      const { url, form } = credential.google_service_account_key
        ? await assertionForm(
            credential.google_service_account_key,
            subject,
            scopes,
            nowMs,
            tokenUrl,
          )
        : refreshForm(credential.google_tokens ?? '', tokenUrl);
      const isOwn = subject === (credential.google_primary_admin?.toLowerCase() ?? null);
      const fresh = await requestToken(url, form, { isOwn }, context);
      held.set(key, { token: fresh.token, untilMs: nowMs + fresh.seconds * 1_000 });
      return fresh.token;
    },
    forget(token) {
      for (const [key, value] of held) if (value.token === token) held.delete(key);
    },
  };
}

interface TokenForm {
  url: string;
  form: Record<string, string>;
}

async function assertionForm(
  keyFile: string,
  subject: string | null,
  scopes: readonly string[],
  nowMs: number,
  tokenUrl: string,
): Promise<TokenForm> {
  const key = serviceAccountKey.parse(parseJson(keyFile));
  const url = key.token_uri ?? tokenUrl;
  const issuedAt = Math.floor(nowMs / 1_000);
  const { SignJWT } = await import('jose');
  const signed = new SignJWT({ scope: scopes.join(' ') })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(key.private_key_id && { kid: key.private_key_id }),
    })
    .setIssuer(key.client_email)
    .setAudience(url)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS);
  if (subject !== null) signed.setSubject(subject);
  const assertion = await signed.sign(await importKey(key.private_key));
  return { url, form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } };
}

async function importKey(pem: string): Promise<CryptoKey> {
  const { importPKCS8 } = await import('jose');
  try {
    return await importPKCS8(pem, 'RS256');
  } catch (error) {
    throw new CredentialRejected(
      'private_key in google_service_account_key is not an RSA key in PKCS #8. Download the key file again.',
      { cause: error },
    );
  }
}

function refreshForm(tokensText: string, tokenUrl: string): TokenForm {
  const tokens = userTokens.parse(parseJson(tokensText));
  return {
    url: tokens.token_uri ?? tokenUrl,
    form: {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: tokens.client_id,
      client_secret: tokens.client_secret,
    },
  };
}

/** For a user who left the domain, or was never in it. */
const UNKNOWN_USER = /invalid email or user id/i;

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().nullish() });

async function requestToken(
  url: string,
  form: Record<string, string>,
  { isOwn }: { isOwn: boolean },
  context: ConnectorContext,
): Promise<{ token: string; seconds: number }> {
  const http = context.http.withHabits({
    ...GOOGLE_HABITS,
    // `invalid_grant`, `unauthorized_client` …: all of these concern the credential, unless they concern a user other
    // than its owner.
    rejected: (response) => {
      const words = readGoogleError(response)?.words;
      if (words === undefined || ![400, 401, 403].includes(response.status)) return false;
      return isOwn || !UNKNOWN_USER.test(words);
    },
  });
  const { data } = await http.json({ url, form, maxRedirects: 0 }, tokenAnswer);
  return { token: data.access_token, seconds: data.expires_in ?? ASSERTION_SECONDS };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not JSON: the schema rejects null
  }
}
