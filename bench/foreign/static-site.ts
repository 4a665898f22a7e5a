import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, relative, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".gif": "image/gif",
  // Without an encoding: old pages name their own.
  ".html": "text/html",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".mp4": "video/mp4",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};

const notFound = `<!doctype html><html lang="en"><title>Not found</title><h1>Not found</h1><p><a href="/">Home</a></p></html>`;

/** A folder of files served as a site. */
export interface StaticSite extends AsyncDisposable {
  origin: string;
  /** The paths of its pages. */
  pages: readonly string[];
}

async function readPaths(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(
    ({ parentPath, name }) => `/${relative(folder, join(parentPath, name)).split(sep).join("/")}`,
  );
  return paths.filter((path) => !path.includes("/node_modules/")).toSorted();
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Serves a folder on a port of its own. A sitemap lists all pages, because examples often have no
 * links to each other; "/" leads to the first page if there is no `index.html`.
 */
export async function serveFolder(folder: string): Promise<StaticSite> {
  const paths = new Set(await readPaths(folder));
  const pages = [...paths].filter((path) => path.endsWith(".html"));
  let origin = "";
  const made: Readonly<Record<string, () => [type: string, body: string]>> = {
    "/robots.txt": () => [
      "text/plain",
      `User-agent: *\nAllow: /\nSitemap: ${origin}/sitemap.xml\n`,
    ],
    "/sitemap.xml": () => [
      "application/xml",
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages
        .map((path) => `<url><loc>${origin}${encodeURI(path)}</loc></url>`)
        .join("")}</urlset>`,
    ],
  };
  const server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent(new URL(request.url ?? "/", origin).pathname);
      const given = made[path]?.();
      const index = path.endsWith("/") ? `${path}index.html` : path;
      if (given && !paths.has(path)) {
        response.writeHead(200, { "content-type": given[0] }).end(given[1]);
      } else if (paths.has(index)) {
        const type = types[extname(index).toLowerCase()] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type });
        response.end(await readFile(join(folder, index)));
      } else if (paths.has(`${path}/index.html`)) {
        response.writeHead(301, { location: encodeURI(`${path}/`) }).end();
      } else if (path === "/" && pages[0] !== undefined) {
        response.writeHead(302, { location: encodeURI(pages[0]) }).end();
      } else {
        response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end(notFound);
      }
    })().catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  origin = `http://127.0.0.1:${await listen(server)}`;
  return {
    origin,
    pages,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
