import { join } from "node:path";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { sha256Hex } from "../../../kit/hash.ts";
import { errorCodeOf, objectUrl, signRequest } from "../../../platform/storage/s3-request.ts";
import type { CopyFile } from "../copy/site-copy.ts";
import type { S3Settings } from "../schema.ts";
import { batchesOf, changesSince } from "./changes.ts";
import { type Answer, type Call, type HttpClient, openHttpClient } from "./http-client.ts";
import type { Delivery, Destination, Kind, KindDependencies } from "./target-kind.ts";

/** How many files are sent at once, and how many are acknowledged together. */
const maxConcurrent = 8;
const batchFiles = 64;

/** What an answer that isn't a success says. */
const explain = ({ text }: Answer) => errorCodeOf(text);

type BucketCall = Call & { method: "PUT" | "DELETE"; headers: Record<string, string> };

interface Bucket {
  put(path: string, content: Pick<Call, "body" | "file"> & ObjectFacts): Promise<void>;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}

interface ObjectFacts {
  hash: string;
  type: string;
  cacheControl: string;
}

/** A bucket, by signed requests (Amazon S3 API, Signature Version 4: PutObject, DeleteObject). */
function openBucket(
  deps: KindDependencies,
  { settings, secret, signal }: Destination<S3Settings>,
): Bucket {
  const client: HttpClient = openHttpClient(deps, { name: "The bucket", signal, explain });
  async function send(call: BucketCall): Promise<void> {
    const { accessKeyId } = settings;
    const keys = { accessKeyId, secretAccessKey: secret };
    const { url, headers } = await signRequest(call, settings, keys);
    await client.call({ ...call, url, headers });
  }
  return {
    put: (path, { hash, type, cacheControl, ...content }) =>
      send({
        method: "PUT",
        url: objectUrl(settings, path),
        headers: {
          "content-type": type,
          "cache-control": cacheControl,
          "x-amz-content-sha256": hash,
        },
        ...content,
      }),
    remove: (path) =>
      send({
        method: "DELETE",
        url: objectUrl(settings, path),
        headers: { "x-amz-content-sha256": sha256Hex("") },
        expected: [404],
      }),
    close: () => client.close(),
  };
}

/** Changes with everything that an object has. */
function markOf({ hash, type, cacheControl }: CopyFile): string {
  return sha256Hex(JSON.stringify([hash, type, cacheControl]));
}

async function deliverTo(bucket: Bucket, delivery: Delivery<S3Settings>): Promise<void> {
  const { copy, marks, progress, signal } = delivery;
  const { changed, gone } = changesSince(await marks.read(), copy.files, markOf);
  await progress.expect(changed.length + gone.length);
  const assets = changed.filter(({ isPage }) => !isPage);
  const pages = changed.filter(({ isPage }) => isPage);
  // No page goes before everything that it shows is there.
  for (const batch of [...batchesOf(assets, batchFiles), ...batchesOf(pages, batchFiles)]) {
    await marks.begin(batch.map(({ path }) => path));
    await mapConcurrently(batch, maxConcurrent, async (file) => {
      signal.throwIfAborted();
      const body = { path: join(copy.folder, file.path), bytes: file.bytes };
      await bucket.put(file.path, { ...file, file: body });
    });
    await marks.acknowledge(batch.map((file) => ({ path: file.path, mark: markOf(file) })));
    const bytes = batch.reduce((sum, file) => sum + file.bytes, 0);
    await progress.add(batch.length, bytes);
  }
  for (const batch of batchesOf(gone, batchFiles)) {
    await marks.begin(batch);
    await mapConcurrently(batch, maxConcurrent, (path) => bucket.remove(path));
    await marks.forget(batch);
    await progress.add(batch.length, 0);
  }
}

async function withBucket<T>(
  deps: KindDependencies,
  destination: Destination<S3Settings>,
  task: (bucket: Bucket) => Promise<T>,
): Promise<T> {
  const bucket = openBucket(deps, destination);
  try {
    return await task(bucket);
  } finally {
    await bucket.close();
  }
}

/** A bucket of Amazon S3 or a server with its API. Only objects that Vitrine has sent are removed. */
export const s3: Kind<S3Settings> = {
  check: (deps, destination) =>
    withBucket(deps, destination, async (bucket) => {
      const path = ".well-known/vitrine-connection-test.txt";
      const body = "Vitrine tests its connection and removes this file at once.\n";
      const facts = { hash: sha256Hex(body), type: "text/plain", cacheControl: "no-store" };
      await bucket.put(path, { ...facts, body });
      await bucket.remove(path);
      return `Vitrine can write to and remove from the bucket ${destination.settings.bucket}.`;
    }),
  deliver: (deps, delivery) => withBucket(deps, delivery, (bucket) => deliverTo(bucket, delivery)),
};
