import { withoutLastSlashes } from '#src/platform/base-url.ts';
import type { S3Credential, S3Settings } from './s3-settings.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';

export interface AccessKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
}

/** One bucket: its address, and the identity used for it. */
export interface S3Store {
  bucket: string;
  prefix: string;
  /** The region to try first; replaced when the store names another one. */
  region: string;
  keys: AccessKeys;
  /** Role assumed with the keys before the bucket is accessed; null: the keys are used directly. */
  roleArn: string | null;
  /** The URL of the bucket in a region, without a trailing slash. */
  addressOf(region: string): string;
  /** The id of an object's document; the same in every run and from every region. */
  idOf(key: string): string;
}

/**
 * Chooses URLs and keys by bucket type.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html,
 * https://developers.cloudflare.com/r2/api/s3/api/, https://docs.cloud.google.com/storage/docs/interoperability,
 * https://docs.oracle.com/en-us/iaas/Content/Object/Tasks/s3compatibleapi.htm
 * @throws SourceRefused naming the missing keys that the bucket type requires
 */
export function resolveStore(settings: S3Settings, credential: S3Credential): S3Store {
  const bucket = settings.bucket_name;
  const common = { bucket, prefix: settings.prefix, roleArn: null };
  const within = (base: string): Pick<S3Store, 'addressOf' | 'idOf'> => {
    const address = `${withoutLastSlashes(base)}/${encodeURIComponent(bucket)}`;
    // The names of these buckets are not globally unique, so the URL is part of the id.
    return { addressOf: () => address, idOf: (key) => `${address}/${encodeKey(key)}` };
  };
  switch (settings.bucket_type) {
    case 's3':
      return { ...common, ...amazonStore(settings, credential) };
    case 'r2': {
      const jurisdiction = settings.european_residency ? '.eu' : '';
      const host = (): string =>
        `https://${required(credential, 'account_id', 'r2')}${jurisdiction}.r2.cloudflarestorage.com`;
      return {
        ...common,
        ...within(settings.endpoint_url ?? host()),
        region: settings.region_name ?? 'auto',
        keys: keysOf(credential, 'r2_access_key_id', 'r2_secret_access_key', 'r2'),
      };
    }
    case 'google_cloud_storage':
      return {
        ...common,
        ...within(settings.endpoint_url ?? 'https://storage.googleapis.com'),
        idOf: (key) => `gs://${bucket}/${encodeKey(key)}`,
        region: settings.region_name ?? 'auto',
        keys: keysOf(credential, 'access_key_id', 'secret_access_key', 'google_cloud_storage'),
      };
    case 'oci_storage': {
      const region = settings.region_name ?? required(credential, 'region', 'oci_storage');
      const host = (): string =>
        `https://${required(credential, 'namespace', 'oci_storage')}.compat.objectstorage.${region}.oraclecloud.com`;
      return {
        ...common,
        ...within(settings.endpoint_url ?? host()),
        region,
        keys: keysOf(credential, 'access_key_id', 'secret_access_key', 'oci_storage'),
      };
    }
  }
}

function amazonStore(
  settings: S3Settings,
  credential: S3Credential,
): Pick<S3Store, 'region' | 'keys' | 'roleArn' | 'addressOf' | 'idOf'> {
  const bucket = settings.bucket_name;
  const byRole = credential.authentication_method?.endsWith('_role') ?? false;
  if (byRole && !(credential.aws_access_key_id && credential.aws_secret_access_key)) {
    throw new SourceRefused(
      'A role can only be assumed with an access key: give aws_access_key_id and aws_secret_access_key beside aws_role_arn. The identity of the machine is not used, since connectors may not reach its metadata service.',
    );
  }
  const common = {
    region: settings.region_name ?? 'us-east-1',
    keys: {
      ...keysOf(credential, 'aws_access_key_id', 'aws_secret_access_key', 's3'),
      sessionToken: credential.aws_session_token ?? null,
    },
    roleArn: byRole ? required(credential, 'aws_role_arn', 's3') : null,
  };
  if (settings.endpoint_url !== null) {
    const address = `${withoutLastSlashes(settings.endpoint_url)}/${encodeURIComponent(bucket)}`;
    return { ...common, addressOf: () => address, idOf: (key) => `${address}/${encodeKey(key)}` };
  }
  // A dot in the name would not match the certificate of *.s3.<region>.amazonaws.com.
  const isHostName = /^[a-z0-9][a-z0-9-]*$/.test(bucket);
  return {
    ...common,
    addressOf: (region) => {
      const host = `s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
      return isHostName
        ? `https://${bucket}.${host}`
        : `https://${host}/${encodeURIComponent(bucket)}`;
    },
    idOf: (key) => `s3://${bucket}/${encodeKey(key)}`,
  };
}

/** As a URL path (RFC 3986): escapes everything but letters, digits, `-._~` and slashes. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodeStrictly).join('/');
}

/** Like `encodeURIComponent`, but also escapes `!'()*`, as signatures require. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function keysOf(
  credential: S3Credential,
  id: keyof S3Credential,
  key: keyof S3Credential,
  bucketType: string,
): AccessKeys {
  return {
    accessKeyId: required(credential, id, bucketType),
    secretAccessKey: required(credential, key, bucketType),
    sessionToken: null,
  };
}

function required(credential: S3Credential, name: keyof S3Credential, bucketType: string): string {
  const value = credential[name];
  if (!value)
    throw new SourceRefused(`A bucket of type ${bucketType} needs ${name} in its credential.`);
  return value;
}
