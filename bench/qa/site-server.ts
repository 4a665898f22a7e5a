import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultPages, generateSite } from "./site.ts";

// Serves the site from memory, in a process of its own: `node site-server.ts [pages]`.

const { files } = await generateSite(Number(process.argv[2] ?? defaultPages));
const gone = Buffer.from(
  `<!doctype html><html lang="en"><title>Not found</title><h1>Not found</h1><p><a href="/">Home</a></p></html>`,
);
let requests = 0;

const server = createServer((request, response) => {
  requests++;
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const file = files.get(path);
  const body = file?.body ?? gone;
  const headers: Record<string, string> = {
    "content-type": file?.type ?? "text/html; charset=utf-8",
    "content-length": String(body.length),
  };
  if (file?.location !== undefined) headers["location"] = file.location;
  if (file?.status === 200) headers["etag"] = file.etag;
  if (file?.status === 200 && request.headers["if-none-match"] === file.etag) {
    response.writeHead(304, { etag: file.etag }).end();
    return;
  }
  response.writeHead(file?.status ?? 404, headers);
  response.end(request.method === "HEAD" ? undefined : body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on("message", () => {
  process.send?.({ requestCount: requests });
  requests = 0;
});
process.on("disconnect", () => process.exit(0));
