import { randomUUID } from "node:crypto";
import { extname } from "node:path";
import { blake3 } from "@noble/hashes/blake3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import {
  type ProtocolAnswer,
  type ProtocolRequest,
  type ProtocolServer,
  startProtocolServer,
} from "./protocol-server.ts";

/** Cloudflare's direct uploads to Pages, as wrangler uses them. */
export interface CloudflareServer extends ProtocolServer {
  accountId: string;
  project: string;
  token: string;
  /** The live deployment's files as texts, by path without a slash at the beginning. */
  live(): Map<string, string>;
  /** `_headers` and `_redirects` of the live deployment. */
  hostFiles(): Record<string, string>;
  /** Lets the first upload token expire at once. */
  expireFirstUploadToken(): void;
}

const accountId = "0123456789abcdef0123456789abcdef";
const project = "example";
const token = "cf_testtoken";

interface Asset {
  key: string;
  value: string;
  metadata: { contentType: string };
  base64: boolean;
}

const refusal = (status: number, message: string): ProtocolAnswer => ({
  status,
  body: { success: false, errors: [{ code: 8000000 + status, message }], result: null },
});
const success = (result: unknown): ProtocolAnswer => ({
  body: { success: true, errors: [], messages: [], result },
});

/** The hash without its extension must match, because the server doesn't know the path yet. */
function isHashOf({ key, value }: Asset, paths: Iterable<string>): boolean {
  return [...paths].some((path) => {
    const hash = blake3(utf8ToBytes(value + extname(path).slice(1)));
    return bytesToHex(hash).slice(0, 32) === key;
  });
}

async function formOf({ headers, body }: ProtocolRequest): Promise<FormData> {
  const type = headers["content-type"] ?? "";
  return new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
}

/** Starts a server that plays Cloudflare with one project. */
export async function startCloudflareServer(): Promise<CloudflareServer> {
  const assets = new Map<string, Asset>();
  const known = new Set<string>();
  const uploadTokens = new Set<string>();
  let isFirstExpired = false;
  let live: Record<string, string> = {};
  let hostFiles: Record<string, string> = {};

  function answerAssets(path: string, { headers, body }: ProtocolRequest): ProtocolAnswer {
    const given = headers.authorization?.replace("Bearer ", "") ?? "";
    if (!uploadTokens.has(given)) return refusal(403, "Authentication failed");
    if (path === "upload") {
      const batch = JSON.parse(String(body)) as Asset[];
      if (body.length > 50 * 1024 * 1024 || batch.length > 2000) return refusal(413, "Too large");
      for (const asset of batch) {
        if (!asset.base64 || !/^[0-9a-f]{32}$/.test(asset.key)) return refusal(400, "Bad asset");
        assets.set(asset.key, asset);
      }
      return success(null);
    }
    const { hashes } = JSON.parse(String(body)) as { hashes: string[] };
    if (path === "check-missing") return success(hashes.filter((hash) => !known.has(hash)));
    if (path !== "upsert-hashes") return refusal(404, "Not found");
    for (const hash of hashes) if (assets.has(hash)) known.add(hash);
    return success(null);
  }

  async function deploy(request: ProtocolRequest): Promise<ProtocolAnswer> {
    const form = await formOf(request);
    const manifest = JSON.parse(String(form.get("manifest"))) as Record<string, string>;
    for (const [path, hash] of Object.entries(manifest)) {
      const asset = assets.get(hash);
      if (!path.startsWith("/") || asset === undefined) return refusal(400, `No asset: ${path}`);
      if (!isHashOf(asset, [path])) return refusal(400, `Wrong hash: ${path}`);
    }
    live = manifest;
    hostFiles = {};
    for (const name of ["_headers", "_redirects"]) {
      const file = form.get(name);
      if (file instanceof File) hostFiles[name] = await file.text();
    }
    return success({ id: randomUUID(), latest_stage: { name: "deploy", status: "success" } });
  }

  const server = await startProtocolServer((request) => {
    const { method, headers } = request;
    const path = request.path.replace("/client/v4", "");
    if (path.startsWith("/pages/assets/") && method === "POST") {
      return answerAssets(path.slice("/pages/assets/".length), request);
    }
    if (headers.authorization !== `Bearer ${token}`) return refusal(403, "Authentication error");
    const own = `/accounts/${accountId}/pages/projects/${project}`;
    if (method === "GET" && path === own) {
      return success({ name: project, subdomain: `${project}.pages.dev` });
    }
    if (method === "GET" && path === `${own}/upload-token`) {
      const jwt = randomUUID();
      if (!isFirstExpired) uploadTokens.add(jwt);
      isFirstExpired = false;
      return success({ jwt });
    }
    if (method === "POST" && path === `${own}/deployments`) return deploy(request);
    return refusal(404, "Not found");
  });
  return Object.assign(server, {
    accountId,
    project,
    token,
    live: () =>
      new Map(
        Object.entries(live).map(([path, hash]) => [
          path.slice(1),
          Buffer.from(assets.get(hash)?.value ?? "", "base64").toString("utf8"),
        ]),
      ),
    hostFiles: () => hostFiles,
    expireFirstUploadToken() {
      isFirstExpired = true;
    },
  });
}
