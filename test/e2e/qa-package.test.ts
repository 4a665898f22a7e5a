import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { startSmallSite, type SmallSite } from "../support/small-site.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";

interface Locked {
  version?: string;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * A lockfile for the tarball alone, with the versions of ours: npm asks no registry which versions there
 * are, and has them in its cache after `npm ci`.
 */
function lockfileFor(tarball: string, packages: Record<string, Locked>): object {
  const own = packages["packages/qa"] ?? {};
  const { version, bin, dependencies = {} } = own;
  const spec = `file:${tarball}`;
  const locked: Record<string, object> = {
    "": { dependencies: { "vitrine-qa": spec } },
    "node_modules/vitrine-qa": { version, resolved: spec, bin, dependencies },
  };
  const add = (from: string, names: string[]): void => {
    for (const name of names) {
      let place = from;
      let key = `${place}/node_modules/${name}`;
      while (place !== "" && packages[key] === undefined) {
        place = place.includes("/node_modules/")
          ? place.slice(0, place.lastIndexOf("/node_modules/"))
          : "";
        key = place === "" ? `node_modules/${name}` : `${place}/node_modules/${name}`;
      }
      const found = packages[key];
      // Optional ones of other machines are in no lockfile's way.
      if (found === undefined) continue;
      const target = key.replace("packages/qa/", "node_modules/vitrine-qa/");
      if (locked[target] !== undefined) continue;
      locked[target] = found;
      const { dependencies: more = {}, optionalDependencies: optional = {} } = found;
      add(key, [...Object.keys(more), ...Object.keys(optional)]);
    }
  };
  add("packages/qa", Object.keys(dependencies));
  return { name: "elsewhere", lockfileVersion: 3, requires: true, packages: locked };
}

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;

let folder: TempFolder;
let site: SmallSite;
beforeAll(async () => {
  folder = await tempFolder();
  site = await startSmallSite({
    "/": page("Home", '<p>See <a href="/gone/">what is gone</a>.</p><img src="/dot.svg">'),
    "/dot.svg": {
      type: "image/svg+xml",
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    },
  });
  const env = { ...process.env } as Record<string, string>;
  const npm = async (args: string[], cwd: string) => {
    const { exitCode, stderr } = await run("npm", args, { cwd, env, timeoutMs: 150_000 });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  };
  await npm(["pack", "--pack-destination", folder.path], join(platformRoot, "packages/qa"));
  const [tarball = ""] = await readdir(folder.path);
  const lockfile = JSON.parse(await readFile(join(platformRoot, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const manifest = { private: true, dependencies: { "vitrine-qa": `file:${tarball}` } };
  const lock = lockfileFor(tarball, lockfile.packages);
  await writeFile(join(folder.path, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder.path, "package-lock.json"), JSON.stringify(lock));
  const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await npm(["ci", ...quiet], folder.path);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await folder.remove();
});

/** Runs something in the folder, with nothing of ours in its environment. */
const inFolder = (command: string, args: string[]) =>
  run(command, args, {
    cwd: folder.path,
    env: { PATH: `${dirname(nodeBinary)}:${systemPath}`, HOME: folder.path },
    timeoutMs: 120_000,
  });

test("the package brings nothing else of Vitrine along, and no source", async () => {
  const names = await readdir(join(folder.path, "node_modules"));
  expect(names.filter((name) => name.includes("vitrine"))).toEqual(["vitrine-qa"]);
  const files = await readdir(join(folder.path, "node_modules/vitrine-qa"));
  expect(files.filter((name) => name !== "node_modules").toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "bin",
    "dist",
    "package.json",
  ]);
});

test("its command checks a site, in a browser too, and fails on what it finds", async () => {
  const command = join(folder.path, "node_modules/.bin/vitrine-qa");
  const { stdout, stderr, exitCode } = await inFolder(command, [
    `${site.origin}/`,
    "--format",
    "json",
  ]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1 });
  const report = JSON.parse(stdout) as {
    findings: { check: string; target: string | null }[];
    skippedChecks: unknown[];
    stats: { browserPages: number };
  };
  const found = report.findings.map(({ check, target }) => `${check} ${target ?? "-"}`);
  expect(found).toContain("link.internal-broken /gone/");
  expect(found.map((one) => one.split(" ")[0])).toContain("img.alt-missing");
  expect(report.stats.browserPages).toBe(1);
  expect(stderr).toContain("Reading pages");
});

test("its API gives a report, and its command refuses what is no address", async () => {
  const script = `
    import { QaError, reportFormats, runQa } from "vitrine-qa";
    const steps = new Set();
    const onProgress = ({ step }) => steps.add(step);
    const report = await runQa(${JSON.stringify(`${site.origin}/`)}, { browser: false, onProgress });
    const limits = { seconds: 0.001 };
    const late = await runQa(${JSON.stringify(`${site.origin}/`)}, { limits }).catch((error) => error);
    console.log(JSON.stringify({
      checks: report.findings.map(({ check }) => check),
      tool: report.tool,
      steps: [...steps],
      lines: reportFormats.pretty.write(report),
      late: late instanceof QaError && late.code,
    }));`;
  const { stdout, stderr } = await inFolder(nodeBinary, ["--input-type=module", "-e", script]);
  expect(stderr).toBe("");
  const reported = JSON.parse(stdout) as Record<string, unknown>;
  expect(reported).toMatchObject({
    checks: expect.arrayContaining(["link.internal-broken"]),
    tool: { name: "vitrine-qa" },
    steps: expect.arrayContaining(["crawling", "checking"]),
    lines: expect.stringContaining("/gone/"),
    late: "upstream_failed",
  });
  const command = join(folder.path, "node_modules/.bin/vitrine-qa");
  expect(await inFolder(command, ["example.com"])).toMatchObject({ exitCode: 2, stdout: "" });
});
