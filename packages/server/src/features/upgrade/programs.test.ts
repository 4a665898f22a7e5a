import { chmod, mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { makeProgram } from "../../../../../test/support/upgrade-programs.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { linkedProgram, linkProgram, newerProgram, pruneProgramsExcept } from "./programs.ts";

let folder: TempFolder;
let paths: InstancePaths;

beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(folder.path);
  await mkdir(paths.data, { recursive: true });
  await mkdir(paths.programs, { mode: 0o755 });
});
afterEach(() => folder.remove());

async function install(version: string): Promise<void> {
  await makeProgram(join(paths.programs, version), { version });
  await chmod(join(paths.programs, version), 0o755);
}

test("finds the linked program if it is newer than the own one", async () => {
  expect(linkedProgram(paths)).toBeNull();
  await install("0.2.0");
  await linkProgram(paths, "0.2.0");
  const own = (version: string) => newerProgram(paths, { dir: "/", version })?.version ?? null;
  expect(own("0.1.0")).toBe("0.2.0");
  expect(own("0.2.0")).toBeNull();
  // A clone that was updated by hand stays.
  expect(own("0.10.0")).toBeNull();
  await install("0.11.0");
  await linkProgram(paths, "0.11.0");
  expect(own("0.10.0")).toBe("0.11.0");
});

test("a program whose own version is older than its folder's name doesn't start itself", async () => {
  await install("0.3.0");
  await linkProgram(paths, "0.3.0");
  const dir = join(paths.programs, "0.3.0");
  expect(newerProgram(paths, { dir, version: "0.1.0" })).toBeNull();
  const inside = join(dir, "node_modules/.bin");
  expect(newerProgram(paths, { dir: inside, version: "0.1.0" })).toBeNull();
});

test("abuse 198: no program is run that others could change, or that the link finds elsewhere", async () => {
  await install("0.2.0");
  await linkProgram(paths, "0.2.0");
  expect(linkedProgram(paths)).toMatchObject({ version: "0.2.0" });
  const dir = join(paths.programs, "0.2.0");
  for (const shared of [dir, paths.programs]) {
    await chmod(shared, 0o775);
    expect(linkedProgram(paths)).toBeNull();
    await chmod(shared, 0o777);
    expect(linkedProgram(paths)).toBeNull();
    await chmod(shared, 0o755);
  }
  expect(linkedProgram(paths)).not.toBeNull();
  const elsewhere = join(folder.path, "9.0.0");
  await makeProgram(elsewhere, { version: "9.0.0" });
  for (const target of [elsewhere, "9.0.0", "programs/../9.0.0", "programs/latest", "programs/"]) {
    await rm(paths.program);
    await symlink(target, paths.program);
    expect(linkedProgram(paths)).toBeNull();
  }
  // A folder behind a link isn't this user's either.
  await rename(dir, elsewhere + "-moved");
  await symlink(elsewhere + "-moved", dir);
  await linkProgram(paths, "0.2.0");
  expect(linkedProgram(paths)).toBeNull();
});

test("keeps the previous program and removes older ones", async () => {
  for (const version of ["0.1.0", "0.2.0", "0.3.0"]) await install(version);
  await mkdir(join(paths.programs, "0.4.0.part"));
  await linkProgram(paths, "0.3.0");
  await pruneProgramsExcept(paths, ["0.2.0", "0.3.0", null]);
  expect(linkedProgram(paths)).toMatchObject({ version: "0.3.0" });
  await linkProgram(paths, "0.2.0");
  expect(linkedProgram(paths)).toMatchObject({ version: "0.2.0" });
  for (const version of ["0.1.0", "0.4.0.part"]) {
    await linkProgram(paths, version);
    expect(linkedProgram(paths)).toBeNull();
  }
});
