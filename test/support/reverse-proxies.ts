import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { until } from "../faults/wait.ts";

/** A program in front of Vitrine, with the configuration that comes with it. */
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
}

const shipped = (name: string) => readFile(join(import.meta.dirname, "../../deploy", name), "utf8");

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function started(
  command: string,
  args: string[],
  { port, env }: { port: number; env?: NodeJS.ProcessEnv },
): Promise<ReverseProxy> {
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", env ? "ignore" : "inherit"],
    env,
  });
  const ended = once(child, "exit");
  const failed = ended.then(() => Promise.reject(new Error(`${command} has ended`)));
  // Only while it starts: later it ends because it is told to.
  failed.catch(() => {});
  const url = `http://127.0.0.1:${port}/`;
  const isListening = async () => {
    const answer = await fetch(url, { redirect: "manual" });
    await answer.arrayBuffer();
    return true;
  };
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

/** Starts nginx with deploy/nginx.conf, one worker; `http` is added beside it. */
export async function startNginx(options: ReverseProxyOptions, http = ""): Promise<ReverseProxy> {
  const { dir, upstream } = options;
  const port = await freePort();
  await mkdir(dir, { recursive: true });
  const text = (await shipped("nginx.conf"))
    .replace("/etc/nginx/vitrine-release.conf;", `${nginxReleaseFile(options)};`)
    .replace("127.0.0.1:3000;", `127.0.0.1:${upstream};`)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("/var/log/nginx/vitrine.log", join(dir, "access.log"))
    .replaceAll(nginxHasBrotli ? "" : /^ *brotli_static on;$/gm, "");
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const main = `
${nginxHasBrotli ? `load_module ${brotli};` : ""}
daemon off; pid ${dir}/nginx.pid; error_log stderr crit; worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 2048; }
http { ${folders.join(" ")} keepalive_requests 1000000;
${text}
${http} }`;
  await writeFile(join(dir, "nginx.conf"), main);
  return started("nginx", ["-c", join(dir, "nginx.conf")], { port });
}

/** Starts Caddy with deploy/Caddyfile, over http. */
export async function startCaddy({
  dir,
  data,
  upstream,
}: ReverseProxyOptions): Promise<ReverseProxy> {
  const port = await freePort();
  await mkdir(dir, { recursive: true });
  const text = (await shipped("Caddyfile"))
    .replaceAll("/srv/vitrine/data", data)
    .replaceAll("127.0.0.1:3000 {", `127.0.0.1:${upstream} {`)
    .replace("site.example {", `http://127.0.0.1:${port}, http://site.example:${port} {`);
  const file = join(dir, "Caddyfile");
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${text}`);
  const args = ["run", "--config", file, "--adapter", "caddyfile"];
  const env = { PATH: process.env["PATH"], HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  return started("caddy", args, { port, env });
}
