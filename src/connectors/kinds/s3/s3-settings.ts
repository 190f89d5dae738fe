import { z } from 'zod';

/** Parts of a host name must not be able to form another host. */
const HOST_PART = /^[a-z0-9_-]{1,63}$/i;

/** Where the bucket is. Strict: an unknown key is an error that names it. */
export const s3Settings = z.strictObject({
  bucket_type: z
    .enum(['s3', 'r2', 'google_cloud_storage', 'oci_storage'])
    .describe('Who keeps the bucket: s3, r2, google_cloud_storage or oci_storage.')
    .meta({ title: 'Store' }),
  bucket_name: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .describe('The name of the bucket.')
    .meta({ title: 'Bucket' }),
  prefix: z
    .string()
    .default('')
    .describe('Only objects whose keys begin with this are indexed: "handbook/". Empty: all.'),
  european_residency: z
    .boolean()
    .default(false)
    .describe('R2 only: the bucket was made in the jurisdiction of the European Union.'),
  region_name: z
    .string()
    .trim()
    .regex(HOST_PART, 'must be a region such as eu-central-1')
    .nullable()
    .default(null)
    .describe('The region of the bucket, such as eu-central-1. Without it the store is asked.')
    .meta({ title: 'Region' }),
  endpoint_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null)
    .describe(
      'Any other store that speaks S3 (MinIO, Ceph): its address. The bucket becomes part of the path.',
    )
    .meta({ title: 'Address of another store' }),
});

export type S3Settings = z.infer<typeof s3Settings>;

const secret = (description: string) => z.string().trim().min(1).nullish().describe(description);
const hostPart = (description: string) =>
  z
    .string()
    .trim()
    .regex(HOST_PART, 'must be letters, digits and hyphens')
    .nullish()
    .describe(description);

/** The keys of all four bucket types; `bucket_type` decides which are required. */
export const s3Credential = z
  .strictObject({
    authentication_method: z
      .enum(['access_key', 'iam_role', 'assume_role'])
      .nullish()
      .describe('S3: access_key, or iam_role / assume_role to act as the role of aws_role_arn.'),
    aws_access_key_id: secret('S3: id of the access key.'),
    aws_secret_access_key: secret('S3: the access key itself.').meta({ writeOnly: true }),
    aws_session_token: secret('S3: only with temporary access keys.').meta({ writeOnly: true }),
    aws_role_arn: secret('S3: the role that is assumed with the access key.'),
    account_id: hostPart('R2: id of the account.'),
    r2_access_key_id: secret('R2: id of the access key.'),
    r2_secret_access_key: secret('R2: the access key itself.').meta({ writeOnly: true }),
    access_key_id: secret('Google Cloud Storage (an HMAC key) and OCI: id of the access key.'),
    secret_access_key: secret(
      'Google Cloud Storage (an HMAC key) and OCI: the access key itself.',
    ).meta({ writeOnly: true }),
    namespace: hostPart('OCI: the namespace of the tenancy.'),
    region: hostPart('OCI: the region of the bucket.'),
  })
  .refine(
    (keys) =>
      (keys.aws_access_key_id && keys.aws_secret_access_key) ||
      (keys.r2_access_key_id && keys.r2_secret_access_key) ||
      (keys.access_key_id && keys.secret_access_key) ||
      keys.authentication_method === 'iam_role' ||
      keys.authentication_method === 'assume_role',
    'An access key is missing: give aws_access_key_id and aws_secret_access_key (s3), account_id, r2_access_key_id and r2_secret_access_key (r2), or access_key_id and secret_access_key (google_cloud_storage, oci_storage).',
  );

export type S3Credential = z.infer<typeof s3Credential>;
