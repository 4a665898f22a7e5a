import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { blake3 } from "@noble/hashes/blake3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { makeYieldToEventLoop } from "../../release/artifact/yield-to-event-loop.ts";
import { hostFilesOf } from "../copy/host-files.ts";
import type { CopyFile, SiteCopy } from "../copy/site-copy.ts";
import type { CloudflareSettings } from "../schema.ts";
import { type Answer, type Call, type HttpClient, openHttpClient } from "./http-client.ts";
import type { Delivery, Destination, Kind, KindDependencies } from "./target-kind.ts";

// The protocol: developers.cloudflare.com/api/resources/pages (projects, deployments) and
// cloudflare/workers-sdk, packages/wrangler/src/pages: upload.ts, validate.ts, hash.ts, constants.ts.

const maxFiles = 20_000;
const maxFileBytes = 25 * 1024 * 1024;
/** One request has no more; wrangler sends up to 40 MiB and 2,000 files. */
const maxBatchBytes = 20 * 1024 * 1024;
const maxBatchFiles = 1000;
/** How many hashes are asked for at once. */
const maxHashes = 5000;
/** Hashing yields to the event loop after so many characters. */
const hashStep = 256 * 1024;
const pollMs = 2000;
const maxPolls = 300;

const errorAnswer = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) });

function explain({ text }: Answer): string | null {
  try {
    return errorAnswer.parse(JSON.parse(text)).errors[0]?.message ?? null;
  } catch {
    return null;
  }
}

const projectAnswer = z.object({ name: z.string(), subdomain: z.string().nullish() });
const deploymentAnswer = z.object({
  id: z.string().regex(/^[A-Za-z0-9-]{1,100}$/),
  latest_stage: z.object({ name: z.string(), status: z.string() }).nullish(),
});

/**
 * A file's name at Cloudflare: half of the BLAKE3 hash of its content in base64 and its extension, as
 * in wrangler's hash.ts.
 */
async function assetHash(content: Buffer, path: string): Promise<string> {
  const turn = makeYieldToEventLoop();
  const hash = blake3.create({});
  const text = content.toString("base64");
  for (let start = 0; start < text.length; start += hashStep) {
    await turn();
    hash.update(utf8ToBytes(text.slice(start, start + hashStep)));
  }
  hash.update(utf8ToBytes(extname(path).slice(1)));
  return bytesToHex(hash.digest()).slice(0, 32);
}

interface Asset {
  file: CopyFile;
  hash: string;
}

/** Hashes that were made before, by the file's own hash and extension: hashing is slow. */
type KnownHashes = Map<string, string>;

const knownKey = ({ hash, path }: CopyFile) => `${hash}${extname(path)}`;

async function listAssets(
  { folder, files }: SiteCopy,
  { known, signal }: { known: KnownHashes; signal: AbortSignal },
): Promise<Asset[]> {
  const assets: Asset[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    if (file.path === "_headers" || file.path === "_redirects") continue;
    if (file.bytes > maxFileBytes) {
      const message = `Cloudflare takes no file over 25 MiB: ${file.path}. Use a smaller one.`;
      throw new AppError("bad_request", message);
    }
    const key = knownKey(file);
    const hash =
      known.get(key) ?? (await assetHash(await readFile(join(folder, file.path)), file.path));
    known.set(key, hash);
    assets.push({ file, hash });
  }
  if (assets.length > maxFiles) {
    const message = `Cloudflare takes no more than ${maxFiles} files; the site has ${assets.length}.`;
    throw new AppError("bad_request", message);
  }
  return assets;
}

interface Cloudflare {
  /** With the owner's token. */
  api(call: Omit<Call, "headers">): Promise<unknown>;
  /** A call for assets, with a token of an upload, which is renewed when it has expired. */
  assets(path: string, body: object): Promise<unknown>;
  close(): Promise<void>;
}

function openCloudflare(
  deps: KindDependencies,
  { settings, secret, signal }: Destination<CloudflareSettings>,
): Cloudflare {
  const client: HttpClient = openHttpClient(deps, { name: "Cloudflare", signal, explain });
  const resultOf = (answer: unknown) => z.object({ result: z.unknown() }).parse(answer).result;
  const api = async (call: Omit<Call, "headers">) => {
    const headers = { authorization: `Bearer ${secret}` };
    const url = `${deps.cloudflareUrl}/client/v4${call.url}`;
    return resultOf(await client.json({ ...call, url, headers }));
  };
  let uploadToken: string | null = null;
  async function getUploadToken(): Promise<string> {
    const project = projectPath(settings);
    const answer = await api({ method: "GET", url: `${project}/upload-token` });
    return z.object({ jwt: z.string() }).parse(answer).jwt;
  }
  return {
    api,
    async assets(path, body) {
      const attempt = async () => {
        uploadToken ??= await getUploadToken();
        const answer = await client.json({
          method: "POST",
          url: `${deps.cloudflareUrl}/client/v4/pages/assets/${path}`,
          headers: {
            authorization: `Bearer ${uploadToken}`,
            "content-type": "application/json",
          },
          body: JSON.stringify(body),
        });
        return resultOf(answer);
      };
      try {
        return await attempt();
      } catch (error) {
        const status = error instanceof AppError && (error.details as { status?: number })?.status;
        const hasExpired = uploadToken !== null && (status === 401 || status === 403);
        if (!hasExpired) throw error;
        uploadToken = null;
        return attempt();
      }
    },
    close: () => client.close(),
  };
}

function projectPath({ accountId, project }: CloudflareSettings): string {
  return `/accounts/${accountId}/pages/projects/${project}`;
}

function inBatches(assets: readonly Asset[]): Asset[][] {
  const batches: Asset[][] = [];
  let batch: Asset[] = [];
  let bytes = 0;
  for (const asset of assets) {
    const isFull = bytes + asset.file.bytes > maxBatchBytes || batch.length >= maxBatchFiles;
    if (isFull && batch.length > 0) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(asset);
    bytes += asset.file.bytes;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

async function findMissing(cloudflare: Cloudflare, assets: readonly Asset[]): Promise<Asset[]> {
  const unique = [...new Map(assets.map((asset) => [asset.hash, asset])).values()];
  const missing = new Set<string>();
  for (let start = 0; start < unique.length; start += maxHashes) {
    const hashes = unique.slice(start, start + maxHashes).map(({ hash }) => hash);
    const answer = z.array(z.string()).parse(await cloudflare.assets("check-missing", { hashes }));
    for (const hash of answer) missing.add(hash);
  }
  return unique.filter(({ hash }) => missing.has(hash));
}

async function upload(
  cloudflare: Cloudflare,
  { copy, progress, signal }: Delivery<CloudflareSettings>,
  missing: readonly Asset[],
): Promise<void> {
  for (const batch of inBatches(missing)) {
    signal.throwIfAborted();
    const payload: object[] = [];
    for (const { file, hash } of batch) {
      const value = (await readFile(join(copy.folder, file.path))).toString("base64");
      payload.push({ key: hash, value, metadata: { contentType: file.type }, base64: true });
    }
    await cloudflare.assets("upload", payload);
    const bytes = batch.reduce((sum, { file }) => sum + file.bytes, 0);
    await progress.add(batch.length, bytes);
  }
}

async function deploy(
  { pause }: KindDependencies,
  cloudflare: Cloudflare,
  { copy, settings, signal }: Delivery<CloudflareSettings>,
  assets: readonly Asset[],
): Promise<void> {
  // The only part that needs it, and all of undici with it.
  const { FormData } = await import("undici");
  const form = new FormData();
  const manifest = Object.fromEntries(assets.map(({ file, hash }) => [`/${file.path}`, hash]));
  form.set("manifest", JSON.stringify(manifest));
  form.set("branch", settings.branch);
  form.set("commit_message", `Release ${copy.release}`);
  for (const { path, text } of await hostFilesOf(copy, "")) form.set(path, new File([text], path));
  const url = `${projectPath(settings)}/deployments`;
  let latest = deploymentAnswer.parse(await cloudflare.api({ method: "POST", url, body: form }));
  for (let polls = 0; polls < maxPolls; polls += 1) {
    const { name = "", status = "" } = latest.latest_stage ?? {};
    if (name === "deploy" && status === "success") return;
    if (status === "failure" || status === "canceled") {
      throw new AppError("upstream_failed", `Cloudflare couldn’t deploy the site (${name}).`);
    }
    await pause(pollMs, signal);
    const call = { method: "GET" as const, url: `${url}/${latest.id}` };
    latest = deploymentAnswer.parse(await cloudflare.api(call));
  }
  throw new AppError("upstream_failed", "Cloudflare didn’t finish the deployment in time.");
}

/** Hashes from earlier deliveries. */
const storedHashes = z.record(z.string(), z.string()).catch({});

async function deliverTo(
  deps: KindDependencies,
  cloudflare: Cloudflare,
  delivery: Delivery<CloudflareSettings>,
): Promise<void> {
  const { copy, state, signal, progress } = delivery;
  const stored = storedHashes.parse(JSON.parse((await state.read()) ?? "{}"));
  const known = new Map(Object.entries(stored));
  const assets = await listAssets(copy, { known, signal });
  const used = assets.map(({ file, hash }) => [knownKey(file), hash]);
  await state.write(JSON.stringify(Object.fromEntries(used)));
  const missing = await findMissing(cloudflare, assets);
  await progress.expect(missing.length);
  await upload(cloudflare, delivery, missing);
  for (let start = 0; start < assets.length; start += maxHashes) {
    const hashes = assets.slice(start, start + maxHashes).map(({ hash }) => hash);
    await cloudflare.assets("upsert-hashes", { hashes });
  }
  await deploy(deps, cloudflare, delivery, assets);
}

async function withCloudflare<T>(
  deps: KindDependencies,
  destination: Destination<CloudflareSettings>,
  task: (cloudflare: Cloudflare) => Promise<T>,
): Promise<T> {
  const cloudflare = openCloudflare(deps, destination);
  try {
    return await task(cloudflare);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new AppError("upstream_failed", "Cloudflare’s answer can’t be understood.", { cause });
  } finally {
    await cloudflare.close();
  }
}

/** A project at Cloudflare Pages: each release is a deployment of its branch. */
export const cloudflarePages: Kind<CloudflareSettings> = {
  check: (deps, destination) =>
    withCloudflare(deps, destination, async (cloudflare) => {
      const url = projectPath(destination.settings);
      const { name, subdomain } = projectAnswer.parse(await cloudflare.api({ method: "GET", url }));
      return `Cloudflare has the project ${name}${subdomain ? `, ${subdomain}` : ""}.`;
    }),
  deliver: (deps, delivery) =>
    withCloudflare(deps, delivery, (cloudflare) => deliverTo(deps, cloudflare, delivery)),
};
