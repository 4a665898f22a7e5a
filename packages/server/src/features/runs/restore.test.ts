import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent } from "../../../../../test/support/runs-site.ts";

let app: RunsApp;
let console: RunsConsole;
beforeEach(async () => {
  app = await startRunsApp();
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

/** Publishes an edit that writes these files; null removes one. */
async function publish(name: string, files: Record<string, string | null>): Promise<string> {
  const runId = await app.edit(
    scriptedAgent(async ({ root }) => {
      for (const [path, text] of Object.entries(files)) {
        await rm(join(root, path), { recursive: true, force: true });
        if (text === null) continue;
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
      return { message: name };
    }),
  );
  await console.post("publish", { runId });
  return runId;
}

/** Commits files as the program commits records and media. */
async function commitRecords(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(app.paths.content, path)), { recursive: true });
    await writeFile(join(app.paths.content, path), text);
  }
  const who = ["-c", "user.name=Owner", "-c", "user.email=owner@example.com"];
  await app.git("add", "--force", "--", ...Object.keys(files));
  await app.git(...who, "commit", "--quiet", "-m", "Records");
}

const at = (commit: string, path: string) => app.git("show", `${commit}:${path}`);
const seed = (title: string) => JSON.stringify([["2026-01-01", "content", title, ""]]);

describe("going back to a version", () => {
  it("brings all back that runs write, and leaves records and media as they are", async () => {
    const page = "app/src/pages/about.html";
    const old = await publish("Old", {
      [page]: "old",
      "app/src/pages/part/one.html": "one",
      "app/public/robots.txt": "old robots",
      "brand/brand-voice.md": "old voice",
      "database/changelog.json": seed("Old"),
    });
    await commitRecords({
      "database/projects.json": "[1]",
      "app/public/media/2026/a.webp": "picture",
      "scripts/own.sh": "#!/bin/sh\n",
    });
    await publish("New", {
      [page]: "new",
      "app/src/pages/part": "a file where a folder was",
      "app/src/pages/new.html": "new",
      "app/public/robots.txt": null,
      "brand/brand-voice.md": "new voice",
      "database/changelog.json": seed("New"),
    });
    const main = (await app.git("rev-parse", "main")).trim();
    const back = await console.start("restore", { runId: old, mode: "version" });
    expect(back).toMatchObject({
      error: null,
      kind: "restore",
      status: "published",
      restoredRunId: old,
      restoreMode: "version",
      message: "Go back to “Old”",
      actor: "Owner",
    });
    const { commit: then } = await console.run(old);
    const own = ["app/src", "app/public/robots.txt", "brand", "database/changelog.json"];
    expect(await app.git("diff", "--name-only", then ?? "", "main", "--", ...own)).toBe("");
    expect(await at("main", "database/projects.json")).toBe("[1]");
    expect(await at("main", "app/public/media/2026/a.webp")).toBe("picture");
    expect(await at("main", "scripts/own.sh")).toBe("#!/bin/sh\n");
    expect((await app.git("rev-parse", "main~1")).trim()).toBe(main);
    expect(await app.git("log", "-1", "--format=%B", "main")).toMatch(
      new RegExp(
        `^Go back to “Old”\n[^]*Run: ${back.id}\n[^]*Restores: ${old}\n[^]*Restore-Mode: version`,
      ),
    );
    expect(await readFile(join(app.paths.current, "about.html"), "utf8")).toBe("old");
    expect(await readFile(join(app.paths.content, page), "utf8")).toBe("old");
    expect(await app.git("status", "--porcelain")).toBe("");
  });

  it("says so when there is nothing to do", async () => {
    const runId = await publish("Now", { "app/src/pages/about.html": "now" });
    const back = await console.start("restore", { runId, mode: "version" });
    expect(back).toMatchObject({
      status: "failed",
      error: "The site is already as it was after that change.",
    });
    expect(await readdir(app.paths.workspaces)).toEqual([]);
  });

  it("is done the same way when it is tried again, and can itself be undone", async () => {
    const first = await publish("One", { "app/src/pages/about.html": "one" });
    await publish("Two", { "app/src/pages/about.html": "two" });
    app.builder.before = async () => {
      app.builder.before = async () => {};
      throw new Error("no disk");
    };
    const failed = await console.start("restore", { runId: first, mode: "version" });
    expect(failed).toMatchObject({ status: "failed" });
    const again = await console.start("retry", { runId: failed.id });
    expect(again).toMatchObject({ status: "published", restoreMode: "version" });
    const undone = await console.start("restore", { runId: again.id });
    expect(undone).toMatchObject({ status: "published", restoreMode: "undo" });
    expect(await readFile(join(app.paths.current, "about.html"), "utf8")).toBe("two");
    expect(await app.git("log", "-1", "--format=%B", "main")).not.toContain("Restore-Mode");
  });
});
