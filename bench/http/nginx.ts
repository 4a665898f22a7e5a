import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../../test/support/instance.ts";
import { until } from "../../test/faults/wait.ts";
import { nginxHasBrotli } from "../../test/support/reverse-proxies.ts";

/** What the compared servers can all send, in the order of browsers. */
export const encodings = nginxHasBrotli ? "gzip, deflate, br" : "gzip";

/** Who answers: the process itself, or nginx's worker. */
export interface BenchServer extends AsyncDisposable {
  name: string;
  origin: string;
  pid: number;
}

function configOf(dir: string, root: string, port: number): string {
  const brotli = "modules/ngx_http_brotli_static_module.so";
  return `
${nginxHasBrotli ? `load_module ${brotli};` : ""}
daemon off; pid ${dir}/nginx.pid; error_log stderr error; worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on;
  gzip_static on; ${nginxHasBrotli ? "brotli_static on;" : ""}
  types { text/html html; text/css css; }
  client_body_temp_path ${dir}/n1; proxy_temp_path ${dir}/n2; fastcgi_temp_path ${dir}/n3; uwsgi_temp_path ${dir}/n4; scgi_temp_path ${dir}/n5;
  server { listen 127.0.0.1:${port}; root ${root}; index index.html; }
}`;
}

/** The process that answers for nginx, which has one worker. */
export function workerOf({ pid = 0 }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
}

/** Starts nginx on the files of a release, precompressed, with one worker and without a log. */
export async function startNginx(dir: string, root: string): Promise<BenchServer> {
  const [port = 0] = await freePorts(1);
  const origin = `http://127.0.0.1:${port}`;
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "nginx.conf"), configOf(dir, root, port));
  const nginx = spawn("nginx", ["-c", join(dir, "nginx.conf")], { stdio: "inherit" });
  const ended = once(nginx, "exit");
  const isUp = async () => (await fetch(origin)).ok;
  await until("nginx", isUp, { timeoutMs: 20_000 });
  return {
    name: "nginx",
    origin,
    pid: workerOf(nginx),
    async [Symbol.asyncDispose]() {
      nginx.kill("SIGQUIT");
      await ended;
    },
  };
}
