import { execFile } from "node:child_process";
import { chmod, chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { isRoot } from "./publish/machine.ts";
import type { TempFolder } from "./temp.ts";

const run = promisify(execFile);

/** Where things are in such a machine: reachable for every user. */
export const placesWithin = { platform: "/mnt/platform", data: "/mnt/data", source: "/mnt/source" };

/** A user that owns nothing, for programs that aren't to run as root. */
const nobody = 61_111;

export interface MachineOptions {
  /** Programs whose files are empty there. */
  hidden: readonly string[];
  /** Becomes `placesWithin.data`, and gets the script. */
  folder: TempFolder;
  /** Becomes `placesWithin.source`, read-only. */
  source?: string;
  /** Whether the script runs as an unprivileged user, who owns the folder, where this is root. */
  unprivileged?: boolean;
  /** A TypeScript program, in which paths of the platform are those of this machine. */
  script: string;
  args: readonly string[];
}

/** Runs a script in a mount namespace where programs are missing, and gives what it has printed. */
export async function runInMachineWithout(options: MachineOptions): Promise<string> {
  const { platform, data, source } = placesWithin;
  const { folder } = options;
  await writeFile(join(folder.path, "try.ts"), options.script.replaceAll(platformRoot, platform));
  await chmod(folder.path, 0o755);
  const isOther = isRoot && options.unprivileged === true;
  if (isOther) await chown(folder.path, nobody, nobody);
  const binds = [
    ["--ro-bind", platformRoot, platform],
    ["--bind", folder.path, data],
    ...(options.source === undefined ? [] : [["--ro-bind", options.source, source]]),
    ...options.hidden.map((path) => ["--ro-bind", "/dev/null", path]),
  ].flat();
  const outer = ["--dev-bind", "/", "/", "--tmpfs", "/mnt", ...binds, "--cap-add", "ALL", "--"];
  const user = ["--reuid", String(nobody), "--regid", String(nobody), "--clear-groups"];
  const become = isOther ? ["/usr/bin/setpriv", ...user] : [];
  const node = nodeBinary.replace(platformRoot, platform);
  const program = [...become, node, `${data}/try.ts`, ...options.args];
  const { stdout } = await run("/usr/bin/bwrap", [...outer, ...program]);
  return stdout;
}
