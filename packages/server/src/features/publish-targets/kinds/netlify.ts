import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { hostFilesOf } from "../copy/host-files.ts";
import type { SiteCopy } from "../copy/site-copy.ts";
import type { NetlifySettings } from "../schema.ts";
import { type Answer, type Call, type HttpClient, openHttpClient } from "./http-client.ts";
import type { Delivery, Destination, Kind, KindDependencies } from "./target-kind.ts";

// The protocol: docs.netlify.com/api-and-cli-guides/api-guides/get-started-with-api, "Deploy with the
// API", file digest method, and netlify/open-api, go/porcelain/deploy.go.

const maxConcurrent = 4;
/** Larger deploys are prepared in the background, as Netlify's own clients do it. */
const maxSynchronousFiles = 100;
/** How often, and how many times, a deploy's state is asked for: ten minutes. */
const pollMs = 2000;
const maxPolls = 300;

const deployAnswer = z.object({
  id: z.string().regex(/^[A-Za-z0-9-]{1,100}$/),
  state: z.string().nullish(),
  /** The SHA-1 of the contents that have to be sent. */
  required: z.array(z.string()).nullish(),
  error_message: z.string().nullish(),
});
type Deploy = z.infer<typeof deployAnswer>;

const siteAnswer = z.object({ name: z.string(), ssl_url: z.string().nullish() });

/** What a delivery has begun: continued if its files are the same. */
const begunDeploy = z.object({ deploy: z.string(), digest: z.string() }).nullable().catch(null);

function explain({ text }: Answer): string | null {
  const parsed = z.object({ message: z.string() }).safeParse(parseOrNull(text));
  return parsed.success ? parsed.data.message : null;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** A file of the deploy: its content is in a file of the copy, or made here. */
interface DeployFile {
  path: string;
  sha1: string;
  content: { file: { path: string; bytes: number } } | { body: string };
  bytes: number;
}

async function sha1Of(file: string): Promise<string> {
  const hash = createHash("sha1");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

async function listFiles(copy: SiteCopy, signal: AbortSignal): Promise<DeployFile[]> {
  const made = (await hostFilesOf(copy, "!")).map(({ path, text }) => ({
    path,
    sha1: createHash("sha1").update(text).digest("hex"),
    content: { body: text },
    bytes: Buffer.byteLength(text),
  }));
  const replaced = new Set<string>(made.map(({ path }) => path));
  const files: DeployFile[] = [];
  for (const { path, bytes } of copy.files) {
    signal.throwIfAborted();
    if (replaced.has(path)) continue;
    if (/[#?]/.test(path)) {
      const message = `Netlify takes no file whose name contains # or ?: ${path}. Rename it.`;
      throw new AppError("bad_request", message);
    }
    const source = join(copy.folder, path);
    files.push({
      path,
      sha1: await sha1Of(source),
      content: { file: { path: source, bytes } },
      bytes,
    });
  }
  return [...files, ...made];
}

interface Netlify {
  get(path: string): Promise<unknown>;
  /** A deploy, or null if it doesn't exist any more. */
  findDeploy(id: string): Promise<Deploy | null>;
  createDeploy(body: object): Promise<Deploy>;
  putFile(deploy: string, file: DeployFile): Promise<void>;
  close(): Promise<void>;
}

function openNetlify(
  deps: KindDependencies,
  { settings, secret, signal }: Destination<NetlifySettings>,
): Netlify {
  const client: HttpClient = openHttpClient(deps, { name: "Netlify", signal, explain });
  const headers = { authorization: `Bearer ${secret}`, accept: "application/json" };
  const url = (path: string) => `${deps.netlifyUrl}/api/v1${path}`;
  const json = (call: Omit<Call, "headers">, more = {}) =>
    client.json({ ...call, headers: { ...headers, ...more } });
  const site = `/sites/${encodeURIComponent(settings.siteId)}`;
  return {
    get: (path) => json({ method: "GET", url: url(path) }),
    async findDeploy(id) {
      const call = { method: "GET" as const, url: url(`${site}/deploys/${id}`), headers };
      const { status, text } = await client.call({ ...call, expected: [404] });
      return status === 404 ? null : deployAnswer.parse(parseOrNull(text));
    },
    async createDeploy(body) {
      const call = { method: "POST" as const, url: url(`${site}/deploys`) };
      const type = { "content-type": "application/json" };
      return deployAnswer.parse(await json({ ...call, body: JSON.stringify(body) }, type));
    },
    async putFile(deploy, { path, content }) {
      const name = path.split("/").map(encodeURIComponent).join("/");
      await client.call({
        method: "PUT",
        url: url(`/deploys/${deploy}/files/${name}`),
        headers: { ...headers, "content-type": "application/octet-stream" },
        ...content,
      });
    },
    close: () => client.close(),
  };
}

/** Asks until the deploy is in one of these states. Throws `upstream_failed`. */
async function waitFor(
  { pause }: KindDependencies,
  netlify: Netlify,
  { deploy, states, signal }: { deploy: Deploy; states: readonly string[]; signal: AbortSignal },
): Promise<Deploy> {
  let latest: Deploy | null = deploy;
  for (let polls = 0; polls < maxPolls; polls += 1) {
    if (latest === null) break;
    if (states.includes(latest.state ?? "")) return latest;
    if (latest.state === "error") {
      const why = latest.error_message ?? "no reason given";
      throw new AppError("upstream_failed", `Netlify couldn’t publish the deploy (${why}).`);
    }
    await pause(pollMs, signal);
    latest = await netlify.findDeploy(deploy.id);
  }
  throw new AppError("upstream_failed", "Netlify didn’t finish the deploy in time.");
}

const usable = new Set([
  "uploading",
  "prepared",
  "preparing",
  "new",
  "uploaded",
  "processing",
  "ready",
]);

/** The deploy that was begun with the same files, or a new one. */
async function openDeploy(
  netlify: Netlify,
  { state }: Delivery<NetlifySettings>,
  files: readonly DeployFile[],
): Promise<Deploy> {
  const digests = Object.fromEntries(files.map(({ path, sha1 }) => [`/${path}`, sha1]));
  const digest = createHash("sha256").update(JSON.stringify(digests)).digest("hex");
  const begun = begunDeploy.parse(JSON.parse((await state.read()) ?? "null"));
  if (begun?.digest === digest) {
    const deploy = await netlify.findDeploy(begun.deploy);
    if (deploy !== null && usable.has(deploy.state ?? "")) return deploy;
  }
  const isAsync = files.length > maxSynchronousFiles;
  const deploy = await netlify.createDeploy({ files: digests, ...(isAsync && { async: true }) });
  await state.write(JSON.stringify({ deploy: deploy.id, digest }));
  return deploy;
}

async function deliverTo(
  deps: KindDependencies,
  netlify: Netlify,
  delivery: Delivery<NetlifySettings>,
): Promise<void> {
  const { copy, signal, progress, state } = delivery;
  const files = await listFiles(copy, signal);
  const opened = await openDeploy(netlify, delivery, files);
  const states = ["prepared", "uploading", "uploaded", "processing", "ready"];
  const deploy = await waitFor(deps, netlify, { deploy: opened, states, signal });
  const required = new Set(deploy.required ?? []);
  // One file of each content; the others with the same content need none.
  const wanted = [...new Map(files.map((file) => [file.sha1, file])).values()];
  const missing = wanted.filter(({ sha1 }) => required.has(sha1));
  await progress.expect(missing.length);
  await mapConcurrently(missing, maxConcurrent, async (file) => {
    signal.throwIfAborted();
    await netlify.putFile(deploy.id, file);
    await progress.add(1, file.bytes);
  });
  await waitFor(deps, netlify, { deploy, states: ["ready"], signal });
  // A later delivery of the same files makes a deploy of its own: this one may not be live then.
  await state.write(null);
}

async function withNetlify<T>(
  deps: KindDependencies,
  destination: Destination<NetlifySettings>,
  task: (netlify: Netlify) => Promise<T>,
): Promise<T> {
  const netlify = openNetlify(deps, destination);
  try {
    return await task(netlify);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new AppError("upstream_failed", "Netlify’s answer can’t be understood.", { cause });
  } finally {
    await netlify.close();
  }
}

/** A site at Netlify: each release is a deploy, which becomes live once it is complete. */
export const netlifySite: Kind<NetlifySettings> = {
  check: (deps, destination) =>
    withNetlify(deps, destination, async (netlify) => {
      const answer = await netlify.get(`/sites/${destination.settings.siteId}`);
      const { name, ssl_url: address } = siteAnswer.parse(answer);
      return `Netlify has the site ${name}${address ? `, ${address}` : ""}.`;
    }),
  deliver: (deps, delivery) =>
    withNetlify(deps, delivery, (netlify) => deliverTo(deps, netlify, delivery)),
};
