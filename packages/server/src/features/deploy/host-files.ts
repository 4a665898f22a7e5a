import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { platformRoot } from "../../platform/paths.ts";
import { systemPath } from "../../platform/process.ts";
import type { Deployment } from "./deployment.ts";

/** The kinds of host that files are made for. */
export const hostKinds = ["systemd", "nginx", "caddy"] as const;
export type HostKind = (typeof hostKinds)[number];

export interface HostFile {
  name: string;
  text: string;
}

/** The shipped files of each kind, which contain the instance of an example. */
const templates: Record<HostKind, readonly string[]> = {
  systemd: [
    "vitrine.service",
    "vitrine-backup.service",
    "vitrine-backup.timer",
    "vitrine-nginx.service",
    "vitrine-nginx.path",
    "vitrine-nginx.timer",
  ],
  nginx: ["nginx.conf"],
  caddy: ["Caddyfile"],
};

const example = {
  origin: "https://site.example",
  hostname: "site.example",
  dir: "/srv/vitrine",
  program: "/opt/vitrine/packages/server/bin/vitrine",
  upstream: "127.0.0.1:3000",
  certificate: "/etc/letsencrypt/live/site.example/fullchain.pem",
  key: "/etc/letsencrypt/live/site.example/privkey.pem",
  releaseFile: "/etc/nginx/vitrine-release.conf",
} as const;

/** Replaces every text of the example at once, so that no replacement is replaced again. */
function fillIn(text: string, deployment: Deployment): string {
  const values = new Map<string, string>(
    Object.entries(example).map(([name, value]) => [
      value,
      deployment[name as keyof typeof example],
    ]),
  );
  // The longest first, because some begin with others.
  const known = [...values.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(known.map((value) => value.replaceAll(".", "\\.")).join("|"), "g");
  return text.replace(pattern, (found) => values.get(found) ?? found);
}

/** The instruction for filling in by hand ends where the first line is that isn't a comment. */
function withoutInstructions(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(first).join("\n").trimStart();
}

const httpsLines = /^ *#: https\n[^]*?^ *#: end\n/gm;
const httpsMarks = /^ *#: (?:https|end)\n/gm;

function nginxText(text: string, { isHttps, port, bodyMiB, brotli }: Deployment): string {
  const sized = text
    .replace(/client_max_body_size \d+m;/, () => `client_max_body_size ${bodyMiB}m;`)
    .replace(/^ *brotli_static on;\n/m, brotli ? "$&" : "");
  if (isHttps) {
    return sized
      .replace(httpsMarks, "")
      .replace("listen 443 ssl http2;", () => `listen ${port} ssl http2;`);
  }
  return sized
    .replace(httpsLines, "")
    .replace("listen 443 ssl http2;", () => `listen ${port};`)
    .replace(/set \$vitrine_hsts "[^"]*";/, 'set $$vitrine_hsts "";');
}

/** Before a certificate for a domain, Caddy asks Vitrine whether a site has it. */
const askVitrine = `{
	on_demand_tls {
		ask http://${example.upstream}/api/tls-allowed
	}
}

`;

/** All other hosts: further sites of the installation. */
function caddySites({ isHttps, port }: Deployment): string {
  const usual = port === (isHttps ? 443 : 80) ? "" : `:${port}`;
  const tls = isHttps ? "\ttls {\n\t\ton_demand\n\t}\n" : "";
  return `
${isHttps ? "https" : "http"}://${usual} {
${tls}	reverse_proxy ${example.upstream} {
		flush_interval -1
		transport http {
			compression off
		}
	}
}
`;
}

function ownCaddyText(text: string, { isHttps, origin, port, hostname }: Deployment): string {
  if (isHttps) {
    const address = port === 443 ? hostname : `${hostname}:${port}`;
    return text.replace(/^site\.example \{$/m, () => `${address} {`);
  }
  return text
    .replace(/^site\.example \{$/m, () => `${origin} {`)
    .replace(/^\s*Strict-Transport-Security .*\n/m, "");
}

function caddyText(text: string, deployment: Deployment): string {
  const own = ownCaddyText(text, deployment);
  if (!deployment.hasSites) return own;
  return (deployment.isHttps ? askVitrine : "") + own + caddySites(deployment);
}

const homes = /^\/(?:home|root|run\/user)(?:\/|$)/;
const temporary = /^\/(?:tmp|var\/tmp)(?:\/|$)/;

const fileBackup = /^ExecStartPre=.* site\.1\.tar\.gz\n(ExecStart=.* backup) site\.tar\.gz\n/m;
/** Each node has a timer; a backup that another node has just made, or is making, is enough. */
const storeBackup = "$1 --if-older-than 20\nSuccessExitStatus=3\n";

function systemdText(text: string, deployment: Deployment): string {
  const { dir, program, nodeFolder, user, hasStorage } = deployment;
  for (const path of [dir, program]) {
    if (!temporary.test(path)) continue;
    const message = `A service can't use ${path}, because it gets its own temporary folders. Move it, for example to /srv.`;
    throw new AppError("validation_failed", message);
  }
  const inHome = [dir, program, nodeFolder ?? ""].some((path) => homes.test(path));
  const path = nodeFolder === null ? "" : `Environment=PATH=${nodeFolder}:${systemPath}\n`;
  return text
    .replace(fileBackup, hasStorage ? storeBackup : "$&")
    .replace(/^ExecStart=/m, `${path}$&`)
    .replace(/^(User|Group)=vitrine$/gm, (_, name: string) => `${name}=${user}`)
    .replace(/^ProtectHome=yes$/m, inHome ? "ProtectHome=read-only" : "$&");
}

const adapt: Record<HostKind, (text: string, deployment: Deployment) => string> = {
  systemd: systemdText,
  nginx: nginxText,
  caddy: caddyText,
};

/**
 * The shipped files for a kind of host, filled in for an instance: without the instructions for
 * filling them in by hand. Throws `validation_failed` for an instance that the host can't serve.
 */
export async function makeHostFiles(kind: HostKind, deployment: Deployment): Promise<HostFile[]> {
  return Promise.all(
    templates[kind].map(async (name) => {
      const text = await readFile(join(platformRoot, "deploy", name), "utf8");
      const heading = `# Made by \`vitrine deploy ${kind}\` for ${deployment.origin}.\n\n`;
      const adapted = adapt[kind](withoutInstructions(text), deployment);
      return { name, text: heading + fillIn(adapted, deployment) };
    }),
  );
}
