import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import {
  type S3Server,
  startS3Server,
} from "../../../../../test/support/publish-targets/s3-server.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { type ObjectStore, openObjectStore } from "./object-store.ts";
import { listUrl, parseKeyList } from "./s3-request.ts";

let server: S3Server;
let folder: TempFolder;
let pauses: number[];

beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await tempFolder();
  pauses = [];
  onTestFinished(() => folder.remove());
});

function open(changed: { bucket?: string; secretAccessKey?: string } = {}): ObjectStore {
  const { endpoint, bucket, accessKeyId, secretAccessKey } = server;
  const settings = { endpoint, bucket, accessKeyId, secretAccessKey, ...changed };
  const store = openObjectStore(
    { ...settings, region: "us-east-1", prefix: "a/b", isPathStyle: true },
    { pause: async (ms) => pauses.push(ms), random: () => 0.5 },
  );
  onTestFinished(() => store.close());
  return store;
}

async function file(text: string, name = "source") {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return { path, hash: sha256Hex(text), bytes: Buffer.byteLength(text) };
}

test("what was put can be got, and not after it was removed", async () => {
  const store = open();
  const source = await file("Größe 1 + 1");
  await store.put("x/ä (1).txt", source);
  const wanted = { ...source, path: join(folder.path, "copy") };
  expect(await store.get("x/ä (1).txt", wanted)).toBe(true);
  expect(await readFile(wanted.path, "utf8")).toBe("Größe 1 + 1");
  await store.remove("x/ä (1).txt");
  await store.remove("x/ä (1).txt");
  expect(await store.get("x/ä (1).txt", { ...wanted, path: join(folder.path, "none") })).toBe(
    false,
  );
  expect((await readdir(folder.path)).toSorted()).toEqual(["copy", "source"]);
});

test("a slow upload of bytes is waited for while it makes progress", async () => {
  const slow = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      await delay(4 * (chunk.length / 65_536));
    }
    response.writeHead(bytes === size ? 200 : 400).end();
  }).listen(0, "127.0.0.1");
  await once(slow, "listening");
  onTestFinished(() => void slow.close());
  const { port } = slow.address() as AddressInfo;
  const size = 24 * 2 ** 20;
  const settings = { bucket: "b", prefix: "p", region: "x", isPathStyle: true };
  const keys = { accessKeyId: "a", secretAccessKey: "s" };
  const store = openObjectStore(
    { ...settings, ...keys, endpoint: `http://127.0.0.1:${port}` },
    { headersTimeoutMs: 900, pause: () => Promise.reject(new Error("It was given up.")) },
  );
  onTestFinished(() => store.close());
  await expect(store.putBytes("key", Buffer.alloc(size))).resolves.toBeUndefined();
});

test("a part of a file is stored by itself", async () => {
  const store = open();
  const { path } = await file("0123456789");
  const part = { path, hash: sha256Hex("345"), bytes: 3 };
  await store.put("part", { ...part, start: 3 });
  const copy = join(folder.path, "copy");
  expect(await store.get("part", { ...part, path: copy })).toBe(true);
  expect(await readFile(copy, "utf8")).toBe("345");
});

test("a server that refuses for a moment is asked again, with growing pauses", async () => {
  const store = open();
  const source = await file("text");
  server.refuse(2, 503);
  await store.put("again", source);
  expect(pauses).toEqual([200, 400]);
  server.refuse(5, 503);
  await expect(store.put("again", source)).rejects.toMatchObject({
    code: "unavailable",
    message: "The object store can't be used (SlowDown).",
  });
});

test("other bytes than were stored never appear", async () => {
  const store = open();
  await store.put("bytes", await file("right"));
  for (const [text, bytes] of [
    ["wrong", 5],
    ["right", 4],
    ["right", 6],
  ] as const) {
    const wanted = { path: join(folder.path, "got"), hash: sha256Hex(text), bytes };
    await expect(store.get("bytes", wanted)).rejects.toMatchObject({ code: "unavailable" });
  }
  expect(await readdir(folder.path)).toEqual(["source"]);
});

test("wrong keys and a missing bucket are told at once", async () => {
  const source = await file("text");
  await expect(open({ secretAccessKey: "another" }).put("key", source)).rejects.toThrow(
    "The object store refused the request (SignatureDoesNotMatch). Check the access key and its permissions.",
  );
  await expect(open({ bucket: "nowhere" }).put("key", source)).rejects.toThrow("NoSuchBucket");
  expect(pauses).toEqual([]);
});

test("bytes are stored and read back, up to a limit", async () => {
  const store = open();
  const bytes = Buffer.from([0, 255, 10, 13]);
  await store.putBytes("bytes", bytes);
  expect(await store.getBytes("bytes", { maxBytes: 4 })).toEqual(bytes);
  await expect(store.getBytes("bytes", { maxBytes: 3 })).rejects.toMatchObject({
    code: "too_large",
  });
  expect(await store.getBytes("none", { maxBytes: 4 })).toBeNull();
});

test("keys below a prefix are listed in order", async () => {
  const store = open();
  for (const key of ["list/b", "list/a", "list/c (1)", "other"])
    await store.putBytes(key, Buffer.from(key));
  expect(await store.list("list/")).toEqual(["list/a", "list/b", "list/c (1)"]);
  expect(await store.list("none/")).toEqual([]);
});

// The test server can't end a list before its end: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
test("a list that the server gives in pages is read to its end", () => {
  const location = { ...server, region: "x", prefix: "a/b", isPathStyle: true };
  const text = `<ListBucketResult><IsTruncated>true</IsTruncated><Prefix>a/b/list/</Prefix>
    <Contents><Key>a/b/list/1</Key></Contents><Contents><Key>a/b/list/2 +</Key></Contents></ListBucketResult>`;
  const page = parseKeyList(text, location);
  expect(page).toEqual({ keys: ["list/1", "list/2 +"], isTruncated: true });
  expect(listUrl(location, "list/", page.keys.at(-1))).toBe(
    `${server.endpoint}/site?list-type=2&prefix=a%2Fb%2Flist%2F&start-after=a%2Fb%2Flist%2F2%20%2B`,
  );
  expect(parseKeyList("<ListBucketResult/>", location)).toEqual({ keys: [], isTruncated: false });
});
