import { mkdir, readFile, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { Argument, type Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Config } from "../../platform/config.ts";
import { exists, undefinedIfMissing, writeFileAtomic } from "../../platform/files.ts";
import { run } from "../../platform/process.ts";
import { type DeployedProgram, describeDeployment, type Deployment } from "./deployment.ts";
import { type HostFile, type HostKind, hostKinds, makeHostFiles } from "./host-files.ts";

/** What `deploy` needs besides the context. */
export interface DeployDependencies {
  /** The configuration of the installed instance; throws `unavailable` if there is none. */
  config(): Promise<Config>;
  program: DeployedProgram;
}

interface DeployOptions {
  user?: string;
  certificate?: string;
  key?: string;
  releaseFile?: string;
  brotli?: true;
  force?: true;
}

/** The user that owns the instance's folder. */
async function findOwner(dir: string): Promise<string> {
  const { uid } = await stat(dir);
  if (uid === process.getuid?.()) return userInfo().username;
  const { stdout } = await run("/usr/bin/getent", ["passwd", String(uid)]);
  return stdout.split(":")[0] || "vitrine";
}

/** Writes what is new or different; refuses, before it writes anything, to replace a changed file. */
async function writeFiles(
  folder: string,
  files: readonly HostFile[],
  isForced: boolean,
): Promise<string[]> {
  const targets = await Promise.all(
    files.map(async ({ name, text }) => {
      const path = join(folder, name);
      return { path, text, before: await undefinedIfMissing(readFile(path, "utf8")) };
    }),
  );
  const different = targets.filter(({ text, before }) => before !== text);
  const replaced = different.filter(({ before }) => before !== undefined);
  if (replaced.length > 0 && !isForced) {
    const names = replaced.map(({ path }) => path).join(", ");
    const message = `${names} already exists with different content. Choose another folder, or use --force to replace it.`;
    throw new AppError("already_exists", message);
  }
  await mkdir(folder, { recursive: true });
  for (const { path, text } of different) await writeFileAtomic(path, text);
  return different.map(({ path }) => path);
}

/** What is left to do, as commands where there is one. */
function nextSteps(kind: HostKind, folder: string, deployment: Deployment): string[] {
  const { program, dir, releaseFile, user } = deployment;
  const describe = `sudo ${program} --dir ${dir} nginx-release ${releaseFile}`;
  const steps: Record<HostKind, string[]> = {
    systemd: [
      `sudo cp ${folder}/vitrine* /etc/systemd/system/ && sudo systemctl daemon-reload`,
      "sudo systemctl enable --now vitrine.service vitrine-backup.timer",
      "With nginx: sudo systemctl enable --now vitrine-nginx.path vitrine-nginx.timer",
    ],
    nginx: [
      `sudo usermod -aG ${user} www-data`,
      describe,
      `sudo cp ${folder}/nginx.conf /etc/nginx/conf.d/vitrine.conf && sudo nginx -t && sudo systemctl restart nginx`,
    ],
    caddy: [
      `sudo usermod -aG ${user} caddy`,
      `sudo cp ${folder}/Caddyfile /etc/caddy/Caddyfile && sudo systemctl restart caddy`,
    ],
  };
  return steps[kind];
}

/** What doesn't fit a service or a server in front. */
function warnings(
  kind: HostKind,
  { trustProxy, baseUrl, host }: Config,
  { program }: DeployedProgram,
): string[] {
  const found: string[] = [];
  if (program.includes("/_npx/")) {
    found.push(
      "This program is in npm's cache, which npm may delete. Run `npm install --global vitrine` and use that one.",
    );
  }
  if (kind === "systemd") return found;
  if (trustProxy.length === 0) {
    const entry = host.includes(":") ? "::1/128" : "127.0.0.1/32";
    found.push(`Set trustProxy in vitrine.json to ["${entry}"] and restart Vitrine.`);
  }
  if (baseUrl.startsWith("http:")) {
    found.push("baseUrl is an http address, so these files have no TLS.");
  }
  return found;
}

/** Registers `deploy`. */
export function registerDeployCommands(
  program: Command,
  context: CliContext,
  deps: DeployDependencies,
): void {
  program
    .command("deploy")
    .description("write systemd units, or a configuration of nginx or Caddy, for this instance")
    .addArgument(new Argument("<kind>", "what to write files for").choices(hostKinds))
    .argument("<folder>", "where to write them; created if it is missing")
    .option("--user <name>", "the user that runs Vitrine; by default, the owner of the instance")
    .option("--certificate <file>", "nginx: the certificate with its chain, PEM")
    .option("--key <file>", "nginx: the certificate's key, PEM")
    .option("--release-file <file>", "nginx: where `nginx-release` writes the current release")
    .option("--brotli", "nginx: send .br files; needs the module ngx_http_brotli_static_module")
    .option("--force", "replace files that are different")
    .action(async (kind: HostKind, to: string, options: DeployOptions) => {
      const config = await deps.config();
      const folder = resolve(to);
      const user = options.user ?? (await findOwner(config.dir));
      const hasSites = await exists(config.paths.sites);
      const choices = { ...options, user, hasSites };
      const deployment = describeDeployment(config, deps.program, choices);
      const files = await makeHostFiles(kind, deployment);
      const written = await writeFiles(folder, files, options.force === true);
      const result = {
        folder,
        files: files.map(({ name }) => name),
        written,
        warnings: warnings(kind, config, deps.program),
        next: nextSteps(kind, folder, deployment),
      };
      if (written.length > 0) context.print(result);
      else context.printNothingToDo(result);
    });
}
