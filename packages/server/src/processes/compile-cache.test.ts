import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installSmall } from "../../../../test/support/backups.ts";
import { unprivileged } from "../../../../test/support/postgres.ts";
import { isRoot } from "../../../../test/support/publish/machine.ts";
import { tempFolder } from "../../../../test/support/temp.ts";
import { instancePaths, platformRoot } from "../platform/paths.ts";
import { openCompileCache } from "./compile-cache.ts";

async function installed(dir: string) {
  const paths = instancePaths(dir);
  await mkdir(paths.data, { recursive: true });
  await writeFile(paths.installLock, "{}\n");
  return paths;
}

test("an instance has a folder for compiled code that only its owner can write", async () => {
  await using folder = await tempFolder();
  const paths = await installed(folder.path);
  expect(openCompileCache(paths)).toBe(paths.compileCache);
  expect((await stat(paths.compileCache)).mode & 0o777).toBe(0o700);
  expect(openCompileCache(paths)).toBe(paths.compileCache);
});

test("without an instance, nothing is created", async () => {
  await using folder = await tempFolder();
  expect(openCompileCache(instancePaths(folder.path))).toBeNull();
  expect(await readdir(folder.path)).toEqual([]);
});

test("abuse 187: compiled code that somebody else could have put there isn't run", async () => {
  await using folder = await tempFolder();
  const paths = await installed(folder.path);
  const { compileCache, data } = paths;
  await mkdir(compileCache);
  await chmod(compileCache, 0o775);
  expect(openCompileCache(paths)).toBeNull();
  await rm(compileCache, { recursive: true });
  await mkdir(join(folder.path, "elsewhere"), { mode: 0o700 });
  await symlink(join(folder.path, "elsewhere"), compileCache);
  expect(openCompileCache(paths)).toBeNull();
  await rm(compileCache);
  await writeFile(compileCache, "");
  expect(openCompileCache(paths)).toBeNull();
  await rm(compileCache);
  if (!isRoot) return;
  // Root works on the instance of another user.
  await mkdir(compileCache, { mode: 0o700 });
  await chown(compileCache, unprivileged.uid, unprivileged.gid);
  expect(openCompileCache(paths)).toBeNull();
  await rm(compileCache, { recursive: true });
  await chown(data, unprivileged.uid, unprivileged.gid);
  expect(openCompileCache(paths)).toBeNull();
});

test("the command line keeps its compiled code there, and works without the folder", async () => {
  await using folder = await tempFolder();
  await installSmall(folder.path);
  const { compileCache } = instancePaths(folder.path);
  const program = join(platformRoot, "packages/server/bin/vitrine");
  const env = { PATH: process.env["PATH"] };
  const listSettings = () =>
    JSON.parse(
      execFileSync(program, ["--dir", folder.path, "setting", "list"], { env, encoding: "utf8" }),
    ) as unknown;
  const first = listSettings();
  expect(first).toMatchObject({ ok: true });
  expect(await readdir(compileCache)).not.toEqual([]);
  expect(listSettings()).toEqual(first);
  await rm(compileCache, { recursive: true });
  await writeFile(compileCache, "");
  expect(listSettings()).toEqual(first);
});
