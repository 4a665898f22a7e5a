/** The part of @20minutes/s3rver that the tests use; the package has no types. */
declare module "@20minutes/s3rver" {
  import type { Server } from "node:http";

  interface Options {
    address: string;
    port: number;
    directory: string;
    silent: boolean;
    configureBuckets: { name: string; configs: string[] }[];
  }

  export default class S3rver {
    constructor(options: Options);
    httpServer: Server;
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
