import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../../test/support/temp.ts";
import { findCgroupParent } from "./cgroup.ts";

interface Machine {
  own: string;
  /** Mounts as `[root, type, options]`, at folders named by their number. */
  mounts: [root: string, type: string, options: string][];
  /** Files below the folder of the mounts. */
  files: Record<string, string>;
}

async function parentOn({ own, mounts, files }: Machine) {
  await using folder = await tempFolder();
  const lines = mounts.map(
    ([root, type, options], at) => `1 1 0:1 ${root} ${folder.path}/${at} rw - ${type} x ${options}`,
  );
  await writeFile(join(folder.path, "own"), own);
  await writeFile(join(folder.path, "mounts"), `${lines.join("\n")}\n`);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder.path, path, ".."), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const places = { own: join(folder.path, "own"), mounts: join(folder.path, "mounts") };
  const parent = findCgroupParent(places);
  return parent && { ...parent, dir: parent.dir.slice(folder.path.length) };
}

const unit = "/system.slice/vitrine.service";

test("groups are created below the own one of version 1, also next to a version 2 without memory", async () => {
  const own = `9:name=systemd:/\n4:memory:/a b/c\n0::/\n`;
  const mounts: Machine["mounts"] = [
    ["/", "cgroup", "rw,memory"],
    ["/", "cgroup2", "rw"],
  ];
  const files = { "0/a b/c/cgroup.procs": "", "1/cgroup.procs": "" };
  expect(await parentOn({ own, mounts, files })).toEqual({ version: 1, dir: "/0/a b/c" });
});

test("groups are created next to the own one of version 2 if the unit is delegated", async () => {
  const files = {
    [`0${unit}/cgroup.procs`]: "",
    [`0${unit}/cgroup.controllers`]: "cpu memory pids",
    [`0${unit}/cgroup.subtree_control`]: "",
  };
  const machine: Machine = { own: `0::${unit}/main\n`, mounts: [["/", "cgroup2", "rw"]], files };
  expect(await parentOn(machine)).toEqual({ version: 2, dir: `/0${unit}` });
});

test.each<[string, Partial<Machine>]>([
  ["in a slice of systemd's own", { own: `0::${unit}\n` }],
  ["without the controller", { own: `0::${unit}/main\n` }],
  [
    "where the own group isn't mounted",
    { own: `0::/elsewhere\n`, mounts: [["/here", "cgroup2", ""]] },
  ],
  ["without control groups", { own: "", mounts: [] }],
])("no groups are created %s", async (_where, machine) => {
  const files = {
    "0/system.slice/cgroup.procs": "",
    "0/system.slice/cgroup.controllers": "memory",
    [`0${unit}/cgroup.procs`]: "",
    [`0${unit}/cgroup.controllers`]: "cpu",
  };
  const mounts: Machine["mounts"] = [["/", "cgroup2", "rw"]];
  expect(await parentOn({ own: "", mounts, files, ...machine })).toBeNull();
});
