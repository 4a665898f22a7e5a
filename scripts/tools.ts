import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import {
  installCommand,
  missingTools,
  type SystemTool,
} from "../packages/server/src/platform/system-tools.ts";

/**
 * The prefix for installing as root: empty for root, or sudo if it needs no password. Null if only
 * the owner can install.
 */
function rootPrefix(): string[] | null {
  if (userInfo().uid === 0) return [];
  const sudoResult = spawnSync("sudo", ["-n", "true"], { stdio: "ignore" });
  return sudoResult.status === 0 ? ["sudo", "-n"] : null;
}

function aptGet(prefix: string[], args: string[]): boolean {
  const [command = "", ...rest] = [
    ...prefix,
    "env",
    "DEBIAN_FRONTEND=noninteractive",
    "apt-get",
    ...args,
  ];
  // apt's output is for people; stdout belongs to our own result.
  return spawnSync(command, rest, { stdio: ["ignore", 2, 2] }).status === 0;
}

/**
 * Installs the missing tools with apt-get if that is permitted. Returns those still missing, after
 * printing to stderr which command would install them.
 */
export async function ensureTools(tools: readonly SystemTool[]): Promise<SystemTool[]> {
  const missing = await missingTools(tools);
  if (missing.length === 0) return [];
  const prefix = rootPrefix();
  const names = missing.map((tool) => tool.name).join(", ");
  if (prefix !== null && existsSync("/usr/bin/apt-get")) {
    console.error(`Installing ${names} …`);
    const packages = [...new Set(missing.map((tool) => tool.package))];
    const install = ["install", "-y", "-q", "--no-install-recommends", ...packages];
    // The lists of a fresh machine are empty, and those of an old one name old versions: the security
    // updates of a browser are what makes it safe. Without them, what is to be had is better than nothing.
    const update = ["update", "-q", "-o", "APT::Update::Error-Mode=any"];
    if (!aptGet(prefix, update)) aptGet(prefix, update);
    aptGet(prefix, install);
  }
  const left = await missingTools(tools);
  if (left.length > 0) {
    const what = left.map((tool) => `${tool.name} (${tool.purpose})`).join(", ");
    console.error(`Missing: ${what}. This installs it:\n  ${installCommand(left)}`);
  }
  return left;
}
