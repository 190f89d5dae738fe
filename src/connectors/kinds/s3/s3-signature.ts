import { AwsV4Signer } from 'aws4fetch';
import type { AccessKeys } from './s3-store.ts';

/**
 * Headers that sign a GET with AWS Signature Version 4.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 * @param request `url` with its path and query encoded as the service encodes them (RFC 3986)
 */
export async function signatureHeaders(request: {
  url: string;
  service: 's3' | 'sts';
  region: string;
  keys: AccessKeys;
  now: Date;
}): Promise<Record<string, string>> {
  const { url, service, region, keys, now } = request;
  const signer = new AwsV4Signer({
    url,
    service,
    region,
    accessKeyId: keys.accessKeyId,
    secretAccessKey: keys.secretAccessKey,
    ...(keys.sessionToken !== null && { sessionToken: keys.sessionToken }),
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}
