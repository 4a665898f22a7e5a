import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { run, systemPath } from "../../../packages/server/src/platform/process.ts";
import { makeAuthority } from "../certificates.ts";
import { tempFolder } from "../temp.ts";

/** A repository over HTTPS, served by git's own program (git-http-backend(1)). */
export interface GitHttpsServer extends AsyncDisposable {
  url: string;
  user: string;
  token: string;
  /** The file of the authority that has certified the server. */
  caFile: string;
  /** The authorizations of requests, as user and token; null for none. */
  authorizations: Set<string | null>;
  git(...args: string[]): Promise<string>;
}

const user = "oauth2";
const token = "glpat-test";

/** Runs the program for a request (RFC 3875) and passes its answer on. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const program = spawn("git", ["http-backend"], {
    env: {
      PATH: systemPath,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: user,
      REQUEST_METHOD: request.method ?? "",
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(program.stdin);
  const chunks: Buffer[] = [];
  for await (const chunk of program.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
  const output = Buffer.concat(chunks);
  const end = output.indexOf("\r\n\r\n");
  const headers = Object.fromEntries(
    output
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => line.split(": ", 2)),
  ) as Record<string, string>;
  const { Status: status = "200", ...rest } = headers;
  response.writeHead(Number.parseInt(status), rest).end(output.subarray(end + 4));
}

/** Starts the server for `localhost` on a free port. */
export async function startGitHttpsServer(): Promise<GitHttpsServer> {
  const folder = await tempFolder();
  const { path } = folder;
  const git = async (...args: string[]) => {
    const env = { PATH: systemPath, GIT_CONFIG_NOSYSTEM: "1" };
    const result = await run("git", ["--git-dir", "pages.git", ...args], { cwd: path, env });
    if (result.exitCode !== 0) throw new Error(result.stderr);
    return result.stdout;
  };
  await git("init", "--quiet", "--bare");
  await git("config", "http.receivepack", "true");
  const authority = makeAuthority();
  const caFile = join(path, "ca.pem");
  await writeFile(caFile, authority.cert);
  const expected = `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`;
  const authorizations = new Set<string | null>();
  const server = createServer(authority.issue("localhost"), (request, response) => {
    const { authorization = null } = request.headers;
    authorizations.add(authorization && Buffer.from(authorization.slice(6), "base64").toString());
    if (authorization === expected) void answer(request, response, path);
    else {
      request.resume();
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/pages.git`,
    user,
    token,
    caFile,
    authorizations,
    git,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
      await folder.remove();
    },
  };
}
