import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import { systemClock } from "../../../kit/clock.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { makeSiteBuilder } from "./build.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const at = (name: string) => join(folder.path, name);

/** Shows where Node finds compiled code, and tries to change it. */
const hostile = `---
import { appendFileSync, chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
const code = getCompileCacheDir() ?? "";
const names = code === "" ? [] : readdirSync(code);
const attempts = [
  () => writeFileSync(code + "/new", "hostile"),
  () => appendFileSync(code + "/" + names[0], "hostile"),
  () => chmodSync(code + "/" + names[0], 0o777),
  () => rmSync(code + "/" + names[0]),
];
const done = attempts.filter((attempt) => { try { attempt(); return true; } catch { return false; } });
---
<html lang="en"><head><title>T</title></head><body><p>{names.length} files, {done.length} changes</p></body></html>
`;

/** The size and time of each file with compiled code. */
async function filesOf(dir: string) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ name, parentPath }) => {
      const { size, mtimeMs, mode } = await stat(join(parentPath, name));
      return { name, size, mtimeMs, mode: mode & 0o777 };
    }),
  );
}

test("abuse 212: builders use the program's compiled code, and no build can change it for the next", async () => {
  const builderCode = at("code");
  const builder = await makeSiteBuilder({
    paths: {
      artifacts: at("artifacts"),
      builders: at("builders"),
      compiledSites: at("compiled"),
      builderCode,
    },
    limits: { ...defaultLimits.build, warm: false },
    sandbox: "require",
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
  try {
    await builder.compileCode();
    const before = await filesOf(builderCode);
    await mkdir(at("site/app/src/pages"), { recursive: true });
    await writeFile(at("site/app/src/pages/index.astro"), hostile);

    const { dir } = await builder.build({
      sourceDir: at("site"),
      mediaDir: at("site/app/public/media"),
      snapshot: {
        site: { baseUrl: "https://example.com", ownerName: "Owner", timeZone: "UTC" },
        projects: [],
        changelog: [],
        redirects: [],
      },
    });

    expect(before.length).toBeGreaterThan(100);
    const html = await readFile(join(dir, "index.html"), "utf8");
    expect(html).toContain(`<p>${before.length} files, 0 changes</p>`);
    expect(await filesOf(builderCode)).toEqual(before);
    // Made once for this version of the program.
    await builder.compileCode();
    expect(await filesOf(builderCode)).toEqual(before);
  } finally {
    await builder.close();
  }
});
