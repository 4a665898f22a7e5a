import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { killTree, processTree } from "../../packages/server/src/platform/process-tree.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/instance.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";
import { startRunningClock } from "../support/running-clock.ts";

let folder: TempFolder;
let started: ChildProcess[];
beforeEach(async () => {
  folder = await tempFolder();
  started = [];
});
afterEach(async () => {
  for (const child of started) if (child.pid !== undefined) killTree(child.pid);
  await folder.remove();
});

interface Started {
  child: ChildProcess;
  stdout(): string;
  url: string;
}

/** `npm start` in an environment with an empty home. */
async function npmStart(env: Record<string, string>): Promise<Started> {
  const child = spawn("npm", ["start"], {
    cwd: platformRoot,
    env: { PATH: systemPath, HOME: folder.path, VITRINE_DIR: join(folder.path, "site"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const url = `http://localhost:${env["PORT"]}`;
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`npm start ended: ${stdout}${stderr}`);
    expect(stdout).toMatch(/Vitrine serves [^]*\n\n/);
  }, 120_000);
  return { child, stdout: () => stdout, url };
}

/** The serving processes below `npm start`, by the script they run. */
async function servers(root: number): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const pid of processTree(root)) {
    const { stdout } = await run("ps", ["-o", "args=", "-p", String(pid)]);
    const name = /processes\/(web|runner)\.ts/.exec(stdout)?.[1];
    if (name) found.set(name, pid);
  }
  return found;
}

async function health(url: string): Promise<{ status: string; checks: Record<string, unknown> }> {
  const response = await fetch(`${url}/api/health`);
  return ((await response.json()) as { data: Awaited<ReturnType<typeof health>> }).data;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("npm start", () => {
  test("installs, prints one sign-in link, restarts processes that die, and drains on SIGTERM", async () => {
    const [port, runnerPort] = await freePorts(2);
    const env = { PORT: String(port), RUNNER_PORT: String(runnerPort) };
    const { child, stdout, url } = await npmStart(env);
    const links = stdout()
      .split("\n")
      .filter((line) => line.startsWith(`${url}/admin/`));
    expect(links).toHaveLength(1);
    // A look at a part that takes more than two seconds calls it down.
    await eventually(async () => expect((await health(url)).status).toBe("ok"));
    expect(await (await fetch(url)).text()).toContain("</html>");

    const signIn = await fetch(links[0]!, { redirect: "manual" });
    expect(signIn.status).toBe(302);
    expect(signIn.headers.get("location")).toBe("/admin");
    const cookie = signIn.headers.get("set-cookie")!.split(";")[0]!;
    const check = () => fetch(`${url}/api/adminauth/check`, { headers: { cookie } });
    expect((await check()).status).toBe(204);

    for (const name of ["web", "runner"]) {
      const pid = (await servers(child.pid!)).get(name)!;
      process.kill(pid, "SIGKILL");
      await eventually(async () => {
        const next = (await servers(child.pid!)).get(name);
        expect(next).toBeDefined();
        expect(next).not.toBe(pid);
      }, 20_000);
      await eventually(async () => expect((await health(url)).status).toBe("ok"), 30_000);
    }
    expect((await check()).status).toBe(204);

    const pids = processTree(child.pid!);
    expect(pids.length).toBeGreaterThan(3);
    using clock = startRunningClock();
    child.kill("SIGTERM");
    await once(child, "exit");
    await eventually(() => expect(pids.some(isAlive)).toBe(false));
    expect(clock.elapsed()).toBeLessThan(12_000);

    const again = await npmStart(env);
    expect(again.stdout()).not.toContain(`${url}/admin/vl_`);
    expect(again.stdout()).toContain("set-admin-token");
    expect((await check()).status).toBe(204);
    // Installed and started, and once more: on a machine that does much else that takes its time.
  }, 480_000);

  test("an invalid configuration ends it with the name of the setting", async () => {
    const child = spawn("npm", ["start"], {
      cwd: platformRoot,
      env: { PATH: systemPath, HOME: folder.path, VITRINE_DIR: folder.path, VITRINE_PROT: "1" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    started.push(child);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(1);
    expect(stderr).toContain("VITRINE_PROT");
  });
});

describe("bin/vitrine", () => {
  test("runs from any folder, and through a symlink", async () => {
    const link = join(folder.path, "vitrine");
    await symlink(join(platformRoot, "packages/server/bin/vitrine"), link);
    const { stdout, exitCode } = await run(link, ["--version"], { cwd: folder.path });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test("says what to do if Node is too old", async () => {
    const bin = join(folder.path, "bin");
    await mkdir(bin);
    await cp(join(platformRoot, "packages/server/bin/vitrine"), join(bin, "vitrine"));
    await writeFile(join(bin, "node"), "#!/bin/sh\nexit 1\n");
    await chmod(join(bin, "node"), 0o755);
    const env = { PATH: `${bin}:${systemPath}` };
    const { stderr, exitCode } = await run(join(bin, "vitrine"), ["--version"], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("npm ci");
  });

  test("abuse 104: on a terminal a secret is asked for without echo", async () => {
    const dir = join(folder.path, "site");
    const vitrine = join(platformRoot, "packages/server/bin/vitrine");
    const installed = await run(vitrine, ["install", "--yes", "--dir", dir], {
      timeoutMs: 120_000,
    });
    expect(installed.exitCode).toBe(0);
    const command = `${vitrine} set-admin-password --pretty --dir ${dir}`;
    const child = spawn("/usr/bin/script", ["-qec", command, "/dev/null"], {
      env: { PATH: systemPath, HOME: folder.path },
      stdio: ["pipe", "pipe", "inherit"],
    });
    started.push(child);
    let screen = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (screen += chunk));
    const secret = "correct horse battery staple 9";
    await eventually(() => expect(screen).toMatch(/password: $/));
    child.stdin.write(`${secret}x\u007F\r`);
    await eventually(() => expect(screen).toMatch(/\(again\): $/));
    child.stdin.write(`${secret}\r`);
    // By then all that it has said is here, which at its exit it need not be.
    const [code] = (await once(child, "close")) as [number];
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("setAt:") });
    expect(screen).not.toContain("horse");
  });
});
