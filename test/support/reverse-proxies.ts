import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describeDeployment } from "../../packages/server/src/features/deploy/deployment.ts";
import { makeHostFiles } from "../../packages/server/src/features/deploy/host-files.ts";
import { loadConfig } from "../../packages/server/src/platform/config.ts";
import { until } from "../faults/wait.ts";
import type { Certificate } from "./certificates.ts";

/** A program in front of Vitrine, with the configuration that Vitrine writes for it. */
export interface ReverseProxy extends AsyncDisposable {
  port: number;
  process: ChildProcess;
  /** Has it read its configuration again. */
  reload(): void;
}

export interface ReverseProxyOptions {
  /** A folder of its own. */
  dir: string;
  /** The instance's data folder. */
  data: string;
  /** Where Vitrine listens, on 127.0.0.1. */
  upstream: number;
  /** The site's host name. */
  hostname?: string;
  /** The port, if it has to be known before. */
  port?: number;
  /** nginx's certificate and key; without, and without `tls` for Caddy, it serves http. */
  certificate?: Certificate;
  tls?: boolean;
}

async function shipped(
  kind: "nginx" | "caddy",
  options: ReverseProxyOptions & { origin: string },
): Promise<string> {
  const { dir, data, upstream, origin } = options;
  const config = loadConfig({ VITRINE_DIR: dirname(data), BASE_URL: origin, PORT: `${upstream}` });
  const deployment = describeDeployment(
    config,
    { program: "/opt/vitrine", nodeFolder: null },
    {
      user: "vitrine",
      certificate: join(dir, "cert.pem"),
      key: join(dir, "key.pem"),
      releaseFile: nginxReleaseFile(options),
      brotli: nginxHasBrotli,
    },
  );
  const [file] = await makeHostFiles(kind, deployment);
  return file?.text ?? "";
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Whether anything answers at the port: over TLS if there is a host name. */
async function answersAt(port: number, host: string | null): Promise<boolean> {
  const options = { host: "127.0.0.1", port, path: "/", agent: false };
  const call = host
    ? https.request({ ...options, servername: host, rejectUnauthorized: false })
    : http.request(options);
  call.end();
  const [answer] = (await once(call, "response")) as [http.IncomingMessage];
  answer.resume();
  return true;
}

async function started(
  command: string,
  args: string[],
  { port, host, env }: { port: number; host: string | null; env?: NodeJS.ProcessEnv },
): Promise<ReverseProxy> {
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", env ? "ignore" : "inherit"],
    env,
  });
  const ended = once(child, "exit");
  const failed = ended.then(() => Promise.reject(new Error(`${command} has ended`)));
  // Only while it starts: later it ends because it is told to.
  failed.catch(() => {});
  const isListening = () => answersAt(port, host);
  const answers = until(command, isListening, { timeoutMs: 20_000 });
  await Promise.race([answers, failed]);
  return {
    port,
    process: child,
    reload: () => void child.kill("SIGHUP"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const brotli = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so";

/** Whether this nginx can send files with `.br`. */
export const nginxHasBrotli = existsSync(brotli);

/** Where `vitrine nginx-release` has to write for `startNginx`. */
export function nginxReleaseFile({ dir }: Pick<ReverseProxyOptions, "dir">): string {
  return join(dir, "vitrine-release.conf");
}

/** Writes nginx.conf for one worker with everything below `dir`; `block` is the contents of `http`. */
async function writeConfiguration(dir: string, block: string): Promise<void> {
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const main = `
${nginxHasBrotli ? `load_module ${brotli};` : ""}
daemon off; pid ${dir}/nginx.pid; error_log stderr crit; worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 2048; }
http { ${folders.join(" ")} keepalive_requests 1000000;
${block} }`;
  await writeFile(join(dir, "nginx.conf"), main);
}

/** Starts nginx with what `vitrine deploy nginx` writes, one worker; `more` is added beside it. */
export async function startNginx(options: ReverseProxyOptions, more = ""): Promise<ReverseProxy> {
  const { dir, certificate, hostname = "site.example" } = options;
  const port = options.port ?? (await freePort());
  await mkdir(dir, { recursive: true });
  const origin = `${certificate ? "https" : "http"}://${hostname}:${port}`;
  const text = (await shipped("nginx", { ...options, origin }))
    // The port for http of the machine isn't a test's.
    .replace("listen 80;", `listen 127.0.0.1:${await freePort()};`)
    .replace(`listen ${port}`, `listen 127.0.0.1:${port}`)
    .replace("/var/log/nginx/vitrine.log", join(dir, "access.log"));
  if (certificate) {
    await writeFile(join(dir, "cert.pem"), certificate.cert);
    await writeFile(join(dir, "key.pem"), certificate.key);
  }
  await writeConfiguration(dir, `${text}\n${more}`);
  const host = certificate ? hostname : null;
  return started("nginx", ["-c", join(dir, "nginx.conf")], { port, host });
}

/**
 * Starts nginx as a load balancer: the next request goes to the next of `nodes`, which are ports. One
 * that nobody listens at is passed over.
 */
export async function startBalancer(options: {
  dir: string;
  port: number;
  nodes: readonly number[];
}): Promise<ReverseProxy> {
  const { dir, port, nodes } = options;
  await mkdir(dir, { recursive: true });
  const servers = nodes.map((node) => `server 127.0.0.1:${node} max_fails=0;`);
  await writeConfiguration(
    dir,
    `access_log off;
upstream nodes { ${servers.join(" ")} keepalive 32; }
server {
  listen 127.0.0.1:${port};
  client_max_body_size 0;
  location / {
    proxy_pass http://nodes;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_buffering off;
    proxy_request_buffering off;
    proxy_read_timeout 1h;
    proxy_send_timeout 1h;
  }
}`,
  );
  return started("nginx", ["-c", join(dir, "nginx.conf")], { port, host: null });
}

/** Starts Caddy with what `vitrine deploy caddy` writes; with `tls`, by an authority of its own. */
export async function startCaddy(options: ReverseProxyOptions): Promise<ReverseProxy> {
  const { dir, tls = false, hostname = "site.example" } = options;
  const port = options.port ?? (await freePort());
  await mkdir(dir, { recursive: true });
  const origin = `${tls ? "https" : "http"}://${hostname}:${port}`;
  const text = await shipped("caddy", { ...options, origin });
  const file = join(dir, "Caddyfile");
  const own = tls
    ? "local_certs\n\tskip_install_trust\n\tauto_https disable_redirects"
    : "auto_https off";
  await writeFile(file, `{\n\tadmin off\n\t${own}\n}\n${text}`);
  const args = ["run", "--config", file, "--adapter", "caddyfile"];
  const env = { PATH: process.env["PATH"], HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  return started("caddy", args, { port, host: tls ? hostname : null, env });
}
