import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { makeProgram } from "../../../../../test/support/upgrade-programs.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { run, systemPath } from "../../platform/process.ts";
import { fetchProgram, findSource } from "./sources.ts";
import { findNewerVersion } from "./upgrade.ts";

let folder: TempFolder;
let paths: InstancePaths;
const { signal } = new AbortController();

beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(join(folder.path, "instance"));
  await mkdir(paths.dir);
});
afterEach(() => folder.remove());

const env = () => ({ PATH: process.env["PATH"] ?? systemPath, HOME: folder.path });

async function git(cwd: string, ...args: string[]): Promise<void> {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  const { exitCode, stderr } = await run("git", [...identity, ...args], { cwd, env: env() });
  if (exitCode !== 0) throw new Error(stderr);
}

/** A repository of a program with workspaces, like Vitrine's own, with a tag for each version. */
async function makeRemote(versions: readonly string[]): Promise<string> {
  const dir = join(folder.path, "remote");
  await mkdir(join(dir, "packages/server/bin"), { recursive: true });
  await git(dir, "init", "--quiet", "--initial-branch", "main");
  const server = { name: "vitrine-server", version: "0.1.0", bin: { vitrine: "bin/vitrine" } };
  await writeFile(join(dir, "packages/server/package.json"), JSON.stringify(server));
  const bin = join(dir, "packages/server/bin/vitrine");
  await writeFile(bin, "#!/bin/sh\n");
  await chmod(bin, 0o755);
  for (const version of versions) {
    const root = {
      name: "vitrine",
      version,
      private: true,
      workspaces: ["packages/*"],
      scripts: { build: "echo built > built.txt" },
    };
    await writeFile(join(dir, "package.json"), JSON.stringify(root));
    const { exitCode, stdout } = await run("npm", ["install", "--package-lock-only", "--offline"], {
      cwd: dir,
      env: env(),
    });
    if (exitCode !== 0) throw new Error(stdout);
    await git(dir, "add", "--all");
    await git(dir, "commit", "--quiet", "--message", version);
    await git(dir, "tag", `v${version}`);
  }
  return dir;
}

test("a clone upgrades to its remote's newest tag, installed and built", async () => {
  const remote = await makeRemote(["0.1.0", "0.2.0", "0.10.0", "0.11.0-next.1"]);
  await git(folder.path, "clone", "--quiet", remote, "clone");
  const root = join(folder.path, "clone");
  const source = await findSource({ root, from: null, paths, env: env(), signal });
  expect(source.kind).toBe("clone");
  const own = { version: "0.1.0", command: "" };
  expect(await findNewerVersion({ source, own })).toBe("0.10.0");
  expect(await findNewerVersion({ source, own }, "0.2.0")).toBe("0.2.0");
  expect(await findNewerVersion({ source, own: { ...own, version: "0.10.0" } })).toBeNull();
  await expect(findNewerVersion({ source, own }, "0.1.0")).rejects.toThrow("isn't newer");
  await expect(findNewerVersion({ source, own }, "../x")).rejects.toThrow("isn't a version");

  const dir = await fetchProgram(source, paths, "0.2.0");
  expect(dir).toBe(join(paths.programs, "0.2.0"));
  expect(await readFile(join(dir, "built.txt"), "utf8")).toBe("built\n");
  expect(JSON.parse(await readFile(join(dir, "package.json"), "utf8"))).toMatchObject({
    version: "0.2.0",
  });
  await expect(fetchProgram(source, paths, "0.3.0")).rejects.toMatchObject({
    code: "upstream_failed",
  });
});

test("a folder is copied, and one that isn't complete is refused", async () => {
  const given = await makeProgram(join(folder.path, "given"), { version: "0.4.0" });
  const find = (from: string | null, root = folder.path) =>
    findSource({ root, from, paths, env: env(), signal });
  const source = await find(given);
  expect(await source.newest()).toBe("0.4.0");
  const own = { version: "0.1.0", command: "" };
  await expect(findNewerVersion({ source, own }, "0.5.0")).rejects.toThrow("not 0.5.0");
  await fetchProgram(source, paths, "0.4.0");
  await writeFile(join(given, "added"), "");
  const dir = await fetchProgram(source, paths, "0.4.0");
  expect(await readFile(join(dir, "added"), "utf8")).toBe("");
  await expect((await find(dirname(given))).newest()).rejects.toMatchObject({
    code: "bad_request",
  });
});

test("a program that came otherwise says how it is upgraded", async () => {
  const source = await findSource({
    root: folder.path,
    from: null,
    paths,
    env: env(),
    signal,
  });
  expect(source.kind).toBe("image");
  const own = { version: "0.1.0", command: "" };
  await expect(findNewerVersion({ source, own })).rejects.toThrow("start --upgrade");
});
