import { spawn } from "node:child_process";
import { join } from "node:path";
import { createGzip } from "node:zlib";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run, type RunOptions } from "../../packages/server/src/platform/process.ts";

/** The options of `docker run` that compose.yaml has, for containers of their own. */
export const hardened = [
  "--read-only",
  "--tmpfs=/tmp",
  "--cap-drop=ALL",
  "--security-opt=no-new-privileges",
  "--memory=3g",
  "--pids-limit=2048",
];
/** With which bubblewrap contains builds. */
export const scoped = [
  `--security-opt=seccomp=${join(platformRoot, "deploy/seccomp.json")}`,
  "--security-opt=systempaths=unconfined",
];

export const project = "vitrine-image-test";

/** Which images to build on, and which to run beside, where the public ones can't be had. */
const { env } = process;
const bases = ["BASE", "NODE_BASE"].flatMap((name) =>
  env[name] === undefined ? [] : ["--build-arg", `${name}=${env[name]}`],
);
/** `KEEP_IMAGES=1` tries the images of the last run, instead of building them. */
export const keepsImages = env["KEEP_IMAGES"] === "1";
const composeCommand = (env["COMPOSE"] ?? "docker compose").split(" ");

async function succeed(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const inherited = env as Record<string, string>;
  const limits = { timeoutMs: 3_000_000, env: { ...inherited, DOCKER_BUILDKIT: "1" } };
  const { exitCode, stdout, stderr } = await run(command, args, { ...limits, ...options });
  if (exitCode !== 0) {
    throw new Error(`${command} ${args.slice(0, 6).join(" ")}: ${stdout}${stderr}`.slice(-4000));
  }
  return stdout;
}

/** Runs `docker`, and returns what it prints. Throws if it fails. */
export function docker(args: string[], options?: RunOptions): Promise<string> {
  return succeed("docker", args, options);
}

/** Runs `docker compose` on deploy/compose.yaml, as the project of these tests. */
export function compose(args: string[], variables: Record<string, string> = {}): Promise<string> {
  const [command = "", ...first] = composeCommand;
  const options = {
    cwd: join(platformRoot, "deploy"),
    env: { ...(env as Record<string, string>), ...variables },
  };
  return succeed(command, [...first, "-p", project, ...args], options);
}

/** Builds an image from the repository, or from a Dockerfile's text on top of another image. */
export async function buildImage(
  tag: string,
  from: { variant: "full" | "slim" } | { dockerfile: string },
): Promise<void> {
  if ("dockerfile" in from) {
    await docker(["build", "-q", "-t", tag, "-"], { input: from.dockerfile });
    return;
  }
  const file = join(platformRoot, "deploy/Dockerfile");
  const variant = ["--build-arg", `VARIANT=${from.variant}`];
  await docker(["build", "-q", "-f", file, ...bases, ...variant, "-t", tag, platformRoot]);
}

/** Bytes of an image: on disk, and compressed as it is transferred. */
export async function imageSizes(tag: string): Promise<{ disk: number; transfer: number }> {
  const disk = Number(await docker(["image", "inspect", "--format", "{{.Size}}", tag]));
  const child = spawn("docker", ["save", tag], { stdio: ["ignore", "pipe", "inherit"] });
  let transfer = 0;
  for await (const chunk of child.stdout.pipe(createGzip())) transfer += (chunk as Buffer).length;
  return { disk, transfer };
}
