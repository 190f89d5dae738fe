import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';
import type { AccessKeys } from './s3-store.ts';
import { cleanMessage } from '#src/connectors/source/source-message.ts';

export interface S3Object {
  key: string;
  etag: string;
  bytes: number;
  lastModified: Date | null;
}

export interface S3Listing {
  objects: S3Object[];
  isTruncated: boolean;
  /** Valid during this run; a later run continues after the last key. */
  nextToken: string | null;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  // Leading and trailing blanks are part of a key.
  trimValues: false,
  isArray: (name) => name === 'Contents',
});

const text = z.string().nullish();

const listingAnswer = z.object({
  ListBucketResult: z.object({
    IsTruncated: z.string(),
    NextContinuationToken: text,
    EncodingType: text,
    Contents: z
      .array(z.object({ Key: z.string(), ETag: text, Size: z.coerce.number(), LastModified: text }))
      .nullish(),
  }),
});

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html#API_ListObjectsV2_ResponseSyntax
 * @returns null when it is not a listing
 */
export function readListing(xml: string): S3Listing | null {
  const parsed = listingAnswer.safeParse(parseXml(xml));
  if (!parsed.success) return null;
  const { Contents, IsTruncated, NextContinuationToken, EncodingType } =
    parsed.data.ListBucketResult;
  // Stores that do not support `encoding-type` omit it and return the keys unencoded.
  const decode = EncodingType?.trim() === 'url' ? decodeKey : (key: string) => key;
  return {
    isTruncated: IsTruncated.trim() === 'true',
    nextToken: NextContinuationToken?.trim() || null,
    objects: (Contents ?? []).map((entry) => ({
      key: decode(entry.Key),
      etag: (entry.ETag ?? '').trim(),
      bytes: entry.Size,
      lastModified: dateOf(entry.LastModified),
    })),
  };
}

/** Keys are form-encoded: a blank may appear as `+`. */
function decodeKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

const errorFields = z.object({ Code: z.string(), Message: text, Region: text });
const errorAnswer = z.union([
  z.object({ Error: errorFields }).transform((answer) => answer.Error),
  z
    .object({ ErrorResponse: z.object({ Error: errorFields }) })
    .transform((answer) => answer.ErrorResponse.Error),
]);

export interface S3Error {
  /** `HTTP 403` when the response names no code. */
  code: string;
  /** Code and message as sent by the store. */
  words: string;
  region: string | null;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export function readError(response: OutboundResponse): S3Error {
  const named = regionOf(response.headers.get('x-amz-bucket-region'));
  const parsed = errorAnswer.safeParse(parseXml(response.text()));
  if (!parsed.success) {
    const words = `The store answered ${response.status}.`;
    return { code: `HTTP ${response.status}`, words, region: named };
  }
  const { Code, Message, Region } = parsed.data;
  const words = cleanMessage(Message?.trim() ? `${Code}: ${Message}` : Code, []);
  return { code: Code.trim(), words, region: named ?? regionOf(Region) };
}

/** A region becomes part of the host name to which signed requests go. */
function regionOf(text: string | null | undefined): string | null {
  const region = text?.trim() ?? '';
  return /^[a-z0-9-]{1,50}$/i.test(region) ? region : null;
}

const roleAnswer = z.object({
  AssumeRoleResponse: z.object({
    AssumeRoleResult: z.object({
      Credentials: z.object({
        AccessKeyId: z.string(),
        SecretAccessKey: z.string(),
        SessionToken: z.string(),
        Expiration: text,
      }),
    }),
  }),
});

/**
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 * @returns null for any other response
 */
export function readAssumedRole(xml: string): { keys: AccessKeys; expiresAt: Date | null } | null {
  const parsed = roleAnswer.safeParse(parseXml(xml));
  if (!parsed.success) return null;
  const found = parsed.data.AssumeRoleResponse.AssumeRoleResult.Credentials;
  return {
    keys: {
      accessKeyId: found.AccessKeyId.trim(),
      secretAccessKey: found.SecretAccessKey.trim(),
      sessionToken: found.SessionToken.trim(),
    },
    expiresAt: dateOf(found.Expiration),
  };
}

function parseXml(xml: string): unknown {
  try {
    return parser.parse(xml);
  } catch {
    return null; // not XML: the schemas reject null
  }
}

function dateOf(value: string | null | undefined): Date | null {
  const date = new Date(value ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}
