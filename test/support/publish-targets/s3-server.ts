import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import S3rver from "@20minutes/s3rver";
import { tempFolder } from "../temp.ts";
import { isSigned } from "./s3-signature.ts";

/** An object as everybody gets it. */
export interface StoredObject {
  text: string;
  type: string | null;
  cacheControl: string | null;
}

/** A server with Amazon's S3 API on the loopback address, with one bucket. */
export interface S3Server extends AsyncDisposable {
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** What is in the bucket below a prefix, by path without it. */
  objects(prefix?: string): Promise<Map<string, StoredObject>>;
  /** Puts an object into the bucket as somebody else does. */
  put(key: string, text: string): Promise<void>;
  /** The requests in order, such as `PUT /site/index.html`. */
  requests: string[];
  /** Called for each request that changes something, before it is answered. */
  onRequest?: (() => void) | undefined;
  /** Answers the next requests with this status instead; 0 for none. */
  refuse(count: number, status: number): void;
}

const bucket = "site";
const secretAccessKey = "S3RVER";

async function listKeys(endpoint: string, prefix: string): Promise<string[]> {
  const query = new URLSearchParams({ prefix, "max-keys": "1000" });
  const text = await (await fetch(`${endpoint}/${bucket}?${query}`)).text();
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) =>
    key.replaceAll("&amp;", "&"),
  );
}

/** Starts the server on a free port. */
export async function startS3Server(): Promise<S3Server> {
  const folder = await tempFolder();
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    directory: folder.path,
    silent: true,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const requests: string[] = [];
  let refusing = { count: 0, status: 0 };
  /** The hashes that the requests say their contents have, by path. */
  const promised = new Map<string, string>();
  const refusal = (request: IncomingMessage): { status: number; code: string } | null => {
    if (request.method === "GET" || request.headers["x-somebody-else"] !== undefined) return null;
    requests.push(`${request.method} ${request.url}`);
    self.onRequest?.();
    if (refusing.count > 0) {
      refusing = { ...refusing, count: refusing.count - 1 };
      return { status: refusing.status, code: "SlowDown" };
    }
    promised.set(request.url ?? "", String(request.headers["x-amz-content-sha256"]));
    const isAllowed = isSigned(request, secretAccessKey);
    return isAllowed ? null : { status: 403, code: "SignatureDoesNotMatch" };
  };
  const [answer] = server.httpServer.listeners("request") as RequestListener[];
  server.httpServer.removeAllListeners("request");
  server.httpServer.on("request", (request, response) => {
    const refused = refusal(request);
    if (refused === null) {
      void answer?.(request, response);
      return;
    }
    request.resume();
    response.writeHead(refused.status).end(`<Error><Code>${refused.code}</Code></Error>`);
  });
  const self: S3Server = {
    endpoint,
    bucket,
    accessKeyId: "S3RVER",
    secretAccessKey,
    requests,
    async put(key, text) {
      const headers = { "x-somebody-else": "1" };
      await fetch(`${endpoint}/${bucket}/${key}`, { method: "PUT", headers, body: text });
    },
    async objects(prefix = "") {
      const objects = new Map<string, StoredObject>();
      for (const key of await listKeys(endpoint, prefix)) {
        const path = key.split("/").map(encodeURIComponent).join("/");
        const response = await fetch(`${endpoint}/${bucket}/${path}`);
        const content = Buffer.from(await response.arrayBuffer());
        const text = content.toString("utf8");
        const hash = createHash("sha256").update(content).digest("hex");
        if ((promised.get(`/${bucket}/${path}`) ?? hash) !== hash)
          throw new Error(`${key} differs.`);
        objects.set(key.slice(prefix.length), {
          text,
          type: response.headers.get("content-type"),
          cacheControl: response.headers.get("cache-control"),
        });
      }
      return objects;
    },
    refuse(count, status) {
      refusing = { count, status };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await folder.remove();
    },
  };
  return self;
}
