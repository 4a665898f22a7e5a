import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import type { Blame } from "./schema.ts";

let app: RunsApp;
let console: RunsConsole;
beforeEach(async () => {
  app = await startRunsApp();
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

const file = "app/src/pages/about.html";
const blame = (line: number, given: { file?: string; runId?: string } = {}) => {
  const query = new URLSearchParams({ file, line: String(line), ...given });
  return console.get<Blame>(`blame?${query}`);
};
const refused = async (query: Record<string, string>) => {
  const response = await app.ask(`/devconsole/blame?${new URLSearchParams(query)}`);
  return [response.status, response.json().error?.code];
};
const write = (text: string, instruction: string) =>
  app.edit(
    scriptedAgent(async (context) => {
      await writePage(context, "about.html", text);
      return { message: `Write ${instruction}`, inputTokens: 70, outputTokens: 7, cost: 0.5 };
    }),
    instruction,
  );

async function commitByHand(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(app.paths.content, path)), { recursive: true });
  await writeFile(join(app.paths.content, path), text);
  const who = ["-c", "user.name=Grace Hopper", "-c", "user.email=grace@example.com"];
  await app.git("add", "--", "app");
  await app.git(...who, "commit", "--quiet", "-m", "Mend by hand");
}

describe("who last touched a line", () => {
  it("is a run with its instruction, cost and actor, or a person", async () => {
    const first = await write("one\ntwo\nthree\n", "all three");
    await console.post("publish", { runId: first });
    const second = await write("one\nTWO\nthree\n", "two");
    await console.post("publish", { runId: second });
    const { commit } = await console.run(first);
    expect(await blame(1)).toEqual({
      file,
      line: 1,
      commit,
      actor: "Editor",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      message: "Write all three",
      run: {
        id: first,
        instruction: "all three",
        model: "scripted",
        inputTokens: 70,
        outputTokens: 7,
        cost: 0.5,
        currency: null,
        status: "published",
      },
    });
    expect(await blame(2)).toMatchObject({ message: "Write two", run: { id: second } });
    expect(await blame(1, { file: "app/src/pages/index.html" })).toMatchObject({
      actor: "Owner",
      message: "Begin",
      run: null,
    });
  });

  it("is whoever brought it back by undoing something", async () => {
    const first = await write("one\n", "first");
    await console.post("publish", { runId: first });
    const second = await write("two\n", "second");
    await console.post("publish", { runId: second });
    const undo = await console.start("restore", { runId: second });
    expect(await blame(1)).toMatchObject({
      actor: "Owner",
      message: "Undo “Write second”",
      run: { id: undo.id, status: "published" },
    });
  });

  it("is told of the site that visitors see, not of a later commit by hand", async () => {
    const runId = await write("one\ntwo\n", "both");
    await console.post("publish", { runId });
    await commitByHand(file, "zero\none\ntwo\n");
    expect(await blame(1)).toMatchObject({ message: "Write both", run: { id: runId } });
    expect(await refused({ file, line: "3" })).toEqual([422, "validation_failed"]);
    const next = await write("zero\none\nTWO\n", "louder");
    expect(await blame(1, { runId: next })).toMatchObject({
      actor: "Grace Hopper",
      message: "Mend by hand",
      run: null,
    });
    expect(await blame(2, { runId: next })).toMatchObject({ run: { id: runId } });
    expect(await blame(3, { runId: next })).toMatchObject({
      commit: null,
      actor: "Editor",
      message: "louder",
      run: { id: next, status: "preview_ready" },
    });
  });

  it("abuse 64: is told of files that runs may write, and of lines that are there", async () => {
    const runId = await write("one\n", "one");
    await commitByHand("app/own.config.mjs", "secret\n");
    const at = { line: "1" };
    for (const path of [
      "app/../../etc/passwd",
      "app/src/../own.config.mjs",
      "app/src/.git/config",
      "app/own.config.mjs",
      "database/projects.json",
      "app/public/media/a.webp",
      "app/src/pages",
      "--output=/tmp/x",
      "app/src/pages/about.html\0",
    ]) {
      const [status] = await refused({ file: path, ...at });
      expect([path, status]).toEqual([path, path === "app/src/pages" ? 404 : 422]);
    }
    expect(await refused({ file: "app/src/nothing.html", ...at })).toEqual([404, "not_found"]);
    expect(await refused({ file: "app/src/:(glob)*", ...at })).toEqual([404, "not_found"]);
    expect(await refused({ file, line: "99" })).toEqual([422, "validation_failed"]);
    expect(await refused({ file, line: "0" })).toEqual([422, "validation_failed"]);
    expect(await refused({ file, ...at, runId: "01KAJ3X0M0AAAAAAAAAAAAAAAA" })).toEqual([
      404,
      "not_found",
    ]);
    await console.post("discard", { runId });
    expect(await refused({ file, ...at, runId })).toEqual([404, "not_found"]);
  });

  it("abuse 65: follows no link out of a workspace", async () => {
    const runId = await write("one\n", "one");
    const pages = join(app.paths.workspaces, runId, "app/src/pages");
    await symlink("/etc/passwd", join(pages, "leak.html"));
    expect(await refused({ file: "app/src/pages/leak.html", line: "1", runId })).toEqual([
      422,
      "validation_failed",
    ]);
  });

  it("says nothing of a run that a commit only claims", async () => {
    await commitByHand(file, "mine\n");
    const who = ["-c", "user.name=Mallory", "-c", "user.email=m@example.com"];
    const message = "Mine\n\nRun: 01KAJ3X0M0AAAAAAAAAAAAAAAA\n";
    await app.git(...who, "commit", "--quiet", "--amend", "--reset-author", "-m", message);
    expect(await blame(1)).toMatchObject({ actor: "Mallory", message: "Mine", run: null });
  });
});
