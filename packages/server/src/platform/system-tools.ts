import { accessSync, constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemPath } from "./process.ts";

/** A program of the operating system that Vitrine runs, and its Debian package. */
export interface SystemTool {
  name: string;
  /** Alternatives, in order of preference. */
  binaries: string[];
  package: string;
  /** Every instance needs `start` tools, the test suite `test` tools, and `npm run bench` `bench` tools. */
  need: "start" | "test" | "bench";
  purpose: string;
}

/** Without support for windows, it does the same with about half the work. */
export const chromium: SystemTool = {
  name: "chromium",
  binaries: ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"],
  package: "chromium",
  need: "start",
  purpose:
    "shows pages to the QA engine as visitors see them; without it, only their markup is checked",
};

/** Only publish targets need it, so that it isn't missed without them. */
export const rsyncTool: SystemTool = {
  name: "rsync",
  binaries: ["rsync"],
  package: "rsync",
  need: "test",
  purpose: "sends the site to a folder on another server",
};

/** The same. */
export const openSshClient: SystemTool = {
  name: "ssh",
  binaries: ["ssh"],
  package: "openssh-client",
  need: "test",
  purpose: "connects to other servers that the site is sent to",
};

/** Those for instances, then those only for tests. */
export const systemTools: readonly SystemTool[] = [
  {
    name: "git",
    binaries: ["git"],
    package: "git",
    need: "start",
    purpose: "stores the site's source",
  },
  {
    name: "bubblewrap",
    binaries: ["bwrap"],
    package: "bubblewrap",
    need: "start",
    purpose: "runs builds in a sandbox",
  },
  {
    name: "util-linux",
    binaries: ["prlimit"],
    package: "util-linux",
    need: "start",
    purpose: "limits the resources of builds",
  },
  {
    name: "ffmpeg",
    binaries: ["ffmpeg"],
    package: "ffmpeg",
    need: "start",
    purpose: "converts videos; images work without it",
  },
  chromium,
  {
    name: "postgresql",
    binaries: ["initdb"],
    package: "postgresql",
    need: "test",
    purpose: "provides PostgreSQL for the tests",
  },
  {
    name: "strace",
    binaries: ["strace"],
    package: "strace",
    need: "test",
    purpose: "shows which writes are flushed to disk",
  },
  {
    name: "procps",
    binaries: ["pgrep"],
    package: "procps",
    need: "test",
    purpose: "finds the processes that tests kill",
  },
  {
    name: "nginx",
    binaries: ["nginx"],
    package: "nginx",
    need: "test",
    purpose: "is the server that Vitrine's speed is compared with",
  },
  {
    name: "caddy",
    binaries: ["caddy"],
    package: "caddy",
    need: "test",
    purpose: "serves the site by the configuration that comes with Vitrine",
  },
  {
    name: "systemd",
    binaries: ["systemd-analyze"],
    package: "systemd",
    need: "test",
    purpose: "checks the units that Vitrine writes",
  },
  rsyncTool,
  openSshClient,
  {
    name: "openssh-server",
    binaries: ["sshd"],
    package: "openssh-server",
    need: "test",
    purpose: "is the server that the site is sent to",
  },
  {
    name: "vipsthumbnail",
    binaries: ["vipsthumbnail"],
    package: "libvips-tools",
    need: "test",
    purpose: "is the converter that images are compared with",
  },
];

/** What else is compared with in `bench/`. */
export const benchTools: readonly SystemTool[] = [
  {
    name: "wrk",
    binaries: ["wrk"],
    package: "wrk",
    need: "bench",
    purpose: "sends requests to web, front, and nginx",
  },
  {
    name: "hugo",
    binaries: ["hugo"],
    package: "hugo",
    need: "bench",
    purpose: "is what builds are compared with",
  },
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Debian keeps PostgreSQL's own programs outside the search path, in a folder per version. */
async function postgresFolders(): Promise<string[]> {
  const root = "/usr/lib/postgresql";
  const versions = await readdir(root).catch(() => []);
  return versions.map((version) => join(root, version, "bin"));
}

const systemFolders = systemPath.split(":");

/** The path of the first of these programs that exists, or null. */
export function findProgram(
  binaries: readonly string[],
  folders: readonly string[] = systemFolders,
): string | null {
  const paths = binaries.flatMap((binary) => folders.map((folder) => join(folder, binary)));
  return paths.find(isExecutable) ?? null;
}

/** The path of a tool's program, or null. */
export async function findTool({ binaries }: SystemTool): Promise<string | null> {
  return findProgram(binaries, [...systemFolders, ...(await postgresFolders())]);
}

/** Which of the tools are missing. */
export async function missingTools(tools: readonly SystemTool[]): Promise<SystemTool[]> {
  const found = await Promise.all(tools.map(findTool));
  return tools.filter((_, index) => found[index] === null);
}

/** The command that installs these tools on Debian or Ubuntu. */
export function installCommand(tools: readonly SystemTool[]): string {
  const packages = [...new Set(tools.map((tool) => tool.package))].join(" ");
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages}`;
}
