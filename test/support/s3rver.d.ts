// The parts that tests use of a package without types.
declare module '@20minutes/s3rver' {
  interface Options {
    address: string;
    port: number;
    silent: boolean;
    /** Folder of the objects. */
    directory: string;
    /** Otherwise the first part of a host name would be a bucket. */
    vhostBuckets: boolean;
    configureBuckets: readonly { name: string }[];
  }
  export default class S3rver {
    constructor(options: Options);
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
