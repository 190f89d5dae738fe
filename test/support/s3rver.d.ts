// What tests use of a package that brings no types.
declare module '@20minutes/s3rver' {
  interface Options {
    address: string;
    port: number;
    silent: boolean;
    /** Where the objects lie. */
    directory: string;
    /** Else the first part of a host's name would be a bucket. */
    vhostBuckets: boolean;
    configureBuckets: readonly { name: string }[];
  }
  export default class S3rver {
    constructor(options: Options);
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
