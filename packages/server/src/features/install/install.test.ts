import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { createLog } from "../../platform/log.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { createKeys, keyFiles } from "../../platform/secrets.ts";
import { install, type InstallStep } from "./install.ts";
import { isInstalled } from "./lock.ts";
import { checkAnswers, configurationStep, contentStep, folderStep, keyStep } from "./steps.ts";

const log = createLog({ level: "silent", name: "test" });
const answers = { ownerName: "Ada", baseUrl: "http://localhost:3000", timeZone: "UTC" };
let folder: TempFolder;
let paths: InstancePaths;
beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(join(folder.path, "instance"));
});
afterEach(() => folder.remove());

function installWith(steps: InstallStep[]) {
  return install({ paths, steps, version: "1.2.3", clock: fakeClock(), log });
}

/** A step that notes its runs and, once, does what `fault` does. */
function noted(name: string, runs: string[], fault: () => Promise<void> | void = () => {}) {
  return {
    name,
    async run() {
      runs.push(name);
      await fault();
    },
  };
}

async function tree(dir: string): Promise<string[]> {
  return (await readdir(dir, { recursive: true })).toSorted();
}

describe("install", () => {
  test("runs the steps in order and then marks the instance as installed", async () => {
    const runs: string[] = [];
    const result = await installWith([
      noted("a", runs, async () => expect(await isInstalled(paths)).toBe(false)),
      noted("b", runs),
    ]);
    expect(runs).toEqual(["a", "b"]);
    expect(result.steps).toEqual(["a", "b"]);
    const mark = JSON.parse(await readFile(paths.installLock, "utf8")) as unknown;
    expect(mark).toEqual({ version: "1.2.3", installedAt: result.installedAt });
  });

  test("abuse 99: a second installation is refused and changes nothing", async () => {
    await installWith([folderStep(paths), keyStep(paths), configurationStep(paths, answers)]);
    const before = await tree(paths.dir);
    const runs: string[] = [];
    await expect(installWith([noted("a", runs)])).rejects.toMatchObject({ code: "already_exists" });
    expect(runs).toEqual([]);
    expect(await tree(paths.dir)).toEqual(before);
  });

  test("abuse 99: of eight at once one installs, the others are refused", async () => {
    const runs: string[] = [];
    const step = noted("a", runs, () => new Promise((resolve) => void setImmediate(resolve)));
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => installWith([step])));
    const codes = ends.map((end) =>
      end.status === "fulfilled" ? "done" : (end.reason as { code: string }).code,
    );
    expect(codes.filter((code) => code === "done")).toHaveLength(1);
    const refusals = codes.filter((code) => code !== "done");
    expect(refusals.every((code) => code === "locked" || code === "already_exists")).toBe(true);
    expect(runs).toEqual(["a"]);
  });

  test("after a failed step the instance isn't marked as installed, and the next call runs all steps again", async () => {
    const runs: string[] = [];
    const fault = () => Promise.reject(new Error("power"));
    await expect(installWith([noted("a", runs), noted("b", runs, fault)])).rejects.toThrow("power");
    expect(await isInstalled(paths)).toBe(false);
    await installWith([noted("a", runs), noted("b", runs)]);
    expect(runs).toEqual(["a", "b", "a", "b"]);
  });

  test("what a killed installation was writing is removed", async () => {
    await createKeys(paths.keys);
    const halves = [paths.configFile, paths.installLock, join(paths.keys, keyFiles.runner)];
    for (const file of halves) await writeFile(`${file}.0123456789ab.tmp`, "half");
    await installWith([keyStep(paths)]);
    expect((await tree(paths.dir)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(await readdir(paths.keys)).toHaveLength(3);
  });

  test("content that no installation has created stays unchanged", async () => {
    await mkdir(paths.content, { recursive: true });
    await writeFile(join(paths.content, "mine.txt"), "mine");
    await expect(installWith([])).rejects.toMatchObject({ code: "already_exists" });
    expect(await tree(paths.dir)).toEqual(["content", "content/mine.txt"]);
  });
});

describe("steps", () => {
  test("an existing configuration stays", async () => {
    await mkdir(paths.dir, { recursive: true });
    await configurationStep(paths, answers).run();
    await configurationStep(paths, { ...answers, ownerName: "Eve" }).run();
    const values = JSON.parse(await readFile(paths.configFile, "utf8")) as unknown;
    expect(values).toEqual({
      baseUrl: "http://localhost:3000",
      owner: { name: "Ada", timeZone: "UTC" },
    });
  });

  test("abuse 102: beside a database no new key takes the place of a lost one", async () => {
    await createKeys(paths.keys);
    await keyStep(paths).run();
    await writeFile(paths.database, "");
    await rm(join(paths.keys, keyFiles.settings));
    await expect(keyStep(paths).run()).rejects.toThrow(/settings\.key is missing/);
    expect(await readdir(paths.keys)).not.toContain(keyFiles.settings);
  });

  test("a partly written content folder is completed, and a committed one stays", async () => {
    const template = { dir: join(folder.path, "template"), folders: ["app", "brand"] };
    await mkdir(join(template.dir, "app/src"), { recursive: true });
    await writeFile(join(template.dir, "app/src/a.txt"), "whole");
    await mkdir(join(paths.content, "app/src"), { recursive: true });
    await writeFile(join(paths.content, "app/src/a.txt"), "wh");
    await contentStep(paths, template, async () => true).run();
    expect(await readFile(join(paths.content, "app/src/a.txt"), "utf8")).toBe("wh");
    await contentStep(paths, template, async () => false).run();
    expect(await tree(paths.content)).toEqual(["app", "app/src", "app/src/a.txt", "brand"]);
    expect(await readFile(join(paths.content, "app/src/a.txt"), "utf8")).toBe("whole");
  });

  test("the folders match the layout", async () => {
    await folderStep(paths).run();
    expect((await stat(paths.releases)).isDirectory()).toBe(true);
    expect(await readdir(paths.data)).toHaveLength(5);
  });

  test.each([
    [{ ownerName: " " }, "ownerName"],
    [{ baseUrl: "ftp://example.org" }, "baseUrl"],
    [{ baseUrl: "https://example.org/path" }, "baseUrl"],
    [{ timeZone: "Mars/Olympus" }, "timeZone"],
  ])("an answer that makes the configuration invalid is reported: %j", (wrong, field) => {
    checkAnswers(answers);
    expect(() => checkAnswers({ ...answers, ...wrong })).toThrow(new RegExp(field));
  });
});
