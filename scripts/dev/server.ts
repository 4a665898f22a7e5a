import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import react from "@vitejs/plugin-react";
import { createServer as createVite, type ViteDevServer } from "vite";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { assetsPath, clientPath, developmentPage, type Manifest } from "./pages.ts";

export interface DevServerOptions {
  /** The port where people open the site. */
  port: number;
  /** The port where web listens. */
  webPort: number;
  /** Vite's cache. */
  cacheDir: string;
  /** Resolves while web is serving: requests wait for it. */
  ready(): Promise<void>;
}

/** The development server in front of web. */
export interface DevServer {
  vite: ViteDevServer;
  /** Reloads every open page. */
  reloadPages(): void;
  close(): Promise<void>;
}

const clientScript = `import "${assetsPath}@vite/client";\n${react.preambleCode.replace("__BASE__", assetsPath)}`;

function readManifest(): Manifest {
  return JSON.parse(
    readFileSync(join(platformRoot, "packages/console/dist/manifest.json"), "utf8"),
  ) as Manifest;
}

/**
 * Previews run in isolation and get nothing of the console; nor does anything that isn't a page.
 */
function isPage(path: string, upstreamResponse: IncomingMessage): boolean {
  const type = upstreamResponse.headers["content-type"] ?? "";
  return type.startsWith("text/html") && !path.startsWith("/_preview/");
}

async function sendPage(
  upstreamResponse: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const nonce = randomBytes(16).toString("base64");
  const policy = String(upstreamResponse.headers["content-security-policy"] ?? "");
  const page = developmentPage(
    { html: await text(upstreamResponse), policy },
    readManifest(),
    nonce,
  );
  const headers = { ...upstreamResponse.headers };
  for (const name of ["etag", "content-length", "transfer-encoding", "last-modified"]) {
    delete headers[name];
  }
  const body = Buffer.from(page.html);
  response.writeHead(upstreamResponse.statusCode ?? 502, {
    ...headers,
    ...(policy === "" ? {} : { "content-security-policy": page.policy }),
    "cache-control": "no-store",
    "content-length": body.length,
  });
  response.end(body);
}

/** Forwards a request to web and changes pages in the response. */
function forward(webPort: number, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = "/" } = request;
  const headers = { ...request.headers, "accept-encoding": "identity" };
  // A page that is unchanged for web has different scripts here.
  if (request.headers.accept?.includes("text/html")) delete headers["if-none-match"];
  const passed = sendRequest({ host: "127.0.0.1", port: webPort, method, path: url, headers });
  passed.on("response", (upstreamResponse) => {
    if (isPage(url, upstreamResponse)) {
      sendPage(upstreamResponse, response).catch((error: unknown) =>
        response.destroy(error as Error),
      );
      return;
    }
    response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
    upstreamResponse.pipe(response);
    upstreamResponse.on("error", () => response.destroy());
  });
  passed.on("error", (error) => {
    if (response.headersSent) return response.destroy();
    response.writeHead(502, { "content-type": "text/plain" });
    return response.end(`Web does not answer: ${error.message}. Reload in a moment.\n`);
  });
  response.on("close", () => passed.destroy());
  request.pipe(passed);
}

async function startVite(server: Server, cacheDir: string): Promise<ViteDevServer> {
  return createVite({
    configFile: join(platformRoot, "packages/console/vite.config.ts"),
    cacheDir,
    logLevel: "warn",
    appType: "custom",
    optimizeDeps: { entries: ["src/{loader,admin,overlay,manage}.{ts,tsx}"] },
    server: {
      middlewareMode: true,
      // The pages' policies would block Vite's own overlay.
      hmr: { server, overlay: false },
      fs: { allow: [platformRoot] },
    },
  });
}

/**
 * Serves the site of a development instance: web's responses, with the console from its sources by
 * Vite, with hot reload. Resolves when it listens.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { port, webPort, cacheDir, ready } = options;
  const server = createServer((request, response) => {
    const { url = "/" } = request;
    if (url === clientPath) {
      response.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" });
      response.end(clientScript);
    } else if (url.startsWith(assetsPath)) {
      vite.middlewares(request, response, () => void response.writeHead(404).end());
    } else {
      void ready().then(() => forward(webPort, request, response));
    }
  });
  const vite = await startVite(server, cacheDir);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "localhost", resolve);
  });
  return {
    vite,
    reloadPages: () => vite.ws.send({ type: "full-reload" }),
    async close() {
      await vite.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
