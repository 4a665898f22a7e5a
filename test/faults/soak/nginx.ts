import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../wait.ts";

export interface IdleNginx extends AsyncDisposable {
  port: number;
}

function configuration(dir: string, port: number): string {
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  return `
daemon off; pid ${dir}/nginx.pid; error_log stderr error; worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 256; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; gzip_static on;
  types { text/html html; } ${folders.join(" ")}
  server { listen 127.0.0.1:${port}; root ${dir}/site; index index.html; }
}`;
}

/** Serves a copy of a release by nginx, which has nothing else to do. */
export async function startNginx(dir: string, release: string, port: number): Promise<IdleNginx> {
  await mkdir(dir);
  await cp(release, join(dir, "site"), { recursive: true });
  const file = join(dir, "nginx.conf");
  await writeFile(file, configuration(dir, port));
  const nginx = spawn("nginx", ["-c", file], { stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}/`;
  await until("nginx", async () => (await fetch(url)).status === 200, { timeoutMs: 20_000 });
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await ended;
    },
  };
}
