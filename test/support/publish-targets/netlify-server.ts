import { createHash, randomUUID } from "node:crypto";
import {
  type ProtocolAnswer,
  type ProtocolServer,
  startProtocolServer,
} from "./protocol-server.ts";

interface Deploy {
  id: string;
  files: Record<string, string>;
  state: "preparing" | "uploading" | "ready";
}

/** Netlify's deploys by file digests, as docs.netlify.com describes them. */
export interface NetlifyServer extends ProtocolServer {
  siteId: string;
  token: string;
  /** The live deploy's files as texts, by path without a slash at the beginning. */
  live(): Map<string, string>;
  deploys: Deploy[];
}

const siteId = "3970e0fe-8564-4903-9a55-c5f8de49fb8b";
const token = "nfp_testtoken";
const hex = /^[0-9a-f]{40}$/;

const sha1 = (content: Buffer) => createHash("sha1").update(content).digest("hex");

/** Starts a server that plays Netlify with one site. */
export async function startNetlifyServer(): Promise<NetlifyServer> {
  const blobs = new Map<string, Buffer>();
  const deploys: Deploy[] = [];
  let live: Deploy | null = null;

  const requiredOf = ({ files }: Deploy) => [
    ...new Set(Object.values(files).filter((hash) => !blobs.has(hash))),
  ];
  /** A deploy goes live as soon as all of its files have arrived. */
  const settle = (deploy: Deploy) => {
    if (deploy.state === "preparing" || requiredOf(deploy).length > 0) return;
    deploy.state = "ready";
    live = deploy;
  };
  const viewOf = (deploy: Deploy): ProtocolAnswer => ({
    body: { id: deploy.id, state: deploy.state, required: requiredOf(deploy) },
  });
  const refusal = (status: number, message: string): ProtocolAnswer => ({
    status,
    body: { code: status, message },
  });

  function create(body: Buffer): ProtocolAnswer {
    const { files, async: isAsync = false } = JSON.parse(String(body)) as {
      files: Record<string, string>;
      async?: boolean;
    };
    const isValid = Object.entries(files).every(
      ([path, hash]) => path.startsWith("/") && !/[#?]/.test(path) && hex.test(hash),
    );
    if (!isValid) return refusal(422, "Invalid files");
    const deploy: Deploy = { id: randomUUID(), files, state: isAsync ? "preparing" : "uploading" };
    deploys.push(deploy);
    if (isAsync) return { body: { id: deploy.id, state: "preparing" } };
    settle(deploy);
    return viewOf(deploy);
  }

  function put(deploy: Deploy | undefined, path: string, body: Buffer): ProtocolAnswer {
    if (deploy === undefined) return refusal(404, "Not Found");
    const expected = deploy.files[`/${decodeURIComponent(path)}`];
    if (expected === undefined) return refusal(404, "Not Found");
    if (sha1(body) !== expected) return refusal(422, "The file doesn't match its digest");
    blobs.set(expected, body);
    settle(deploy);
    return { body: { path: `/${path}`, sha: expected } };
  }

  const server = await startProtocolServer(({ method, path, headers, body }) => {
    if (headers.authorization !== `Bearer ${token}`) return refusal(401, "Access Denied");
    const site = `/api/v1/sites/${siteId}`;
    if (method === "GET" && path === site) {
      return { body: { id: siteId, name: "example", ssl_url: "https://example.netlify.app" } };
    }
    if (method === "POST" && path === `${site}/deploys`) return create(body);
    const named = new RegExp(`^${site}/deploys/([^/]+)$`).exec(path)?.[1];
    const found = deploys.find(({ id }) => id === named);
    if (method === "GET" && found !== undefined) {
      // What is prepared in the background is done when it is asked for.
      if (found.state === "preparing") found.state = "uploading";
      settle(found);
      return viewOf(found);
    }
    const file = /^\/api\/v1\/deploys\/([^/]+)\/files\/(.+)$/.exec(path);
    if (method === "PUT" && headers["content-type"] === "application/octet-stream" && file) {
      return put(
        deploys.find(({ id }) => id === file[1]),
        file[2] ?? "",
        body,
      );
    }
    return refusal(404, "Not Found");
  });
  return Object.assign(server, {
    siteId,
    token,
    deploys,
    live: () =>
      new Map(
        Object.entries(live?.files ?? {}).map(([path, hash]) => [
          path.slice(1),
          String(blobs.get(hash)),
        ]),
      ),
  });
}
