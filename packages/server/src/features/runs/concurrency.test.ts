import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { makeLiteralEditor } from "../agent/literal.ts";
import type { Run } from "./schema.ts";

let app: RunsApp;
let console: RunsConsole;
beforeEach(async () => {
  app = await startRunsApp({ parallel: 3 });
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

const live = (name: string) => readFile(join(app.paths.current, name), "utf8");
const source = (name: string) => join(app.paths.content, "app/src/pages", name);
const about = (text: string) =>
  scriptedAgent(async (context) => {
    await writePage(context, "about.html", text);
    return { message: `Say ${text}` };
  });

/** Puts files on `main` as the owner's own commit. */
async function commitByHand(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(app.paths.content, path)), { recursive: true });
    await writeFile(join(app.paths.content, path), text);
  }
  const who = ["-c", "user.name=Owner", "-c", "user.email=owner@example.com"];
  await app.git("add", "--", "app");
  await app.git(...who, "commit", "--quiet", "-m", "By hand");
}

describe("several runs at once", () => {
  it("each have a workspace of their own, and the later one is merged and built anew", async () => {
    const names = ["one.html", "two.html", "three.html"];
    const inside = names.map(() => Promise.withResolvers<void>());
    const ids: string[] = [];
    for (const [at, name] of names.entries()) {
      app.use(
        scriptedAgent(async (context) => {
          await writePage(context, name, name);
          inside[at]?.resolve();
          // Each goes on only when all are at work.
          await Promise.all(inside.map(({ promise }) => promise));
          const pages = await readdir(join(context.root, "app/src/pages"));
          expect(pages.filter((page) => names.includes(page))).toEqual([name]);
          return { message: name };
        }),
      );
      const requested = { instruction: name };
      ids.push((await console.post<{ runId: string }>("run", requested, 202)).runId);
      await inside[at]?.promise;
    }
    for (const runId of ids) await app.runs.waitUntilFinished(runId);
    for (const runId of ids) {
      expect(await console.post("publish", { runId })).toMatchObject({ status: "published" });
    }
    expect(await Promise.all(names.map(live))).toEqual(names);
    expect((await app.git("rev-list", "--count", "main")).trim()).toBe("4");
  });
});

describe("a change in the same place as one that went live meanwhile", () => {
  async function conflicting(): Promise<string> {
    const first = await app.edit(about("first\n"), "Say first");
    const second = await app.edit(about("second\n"), "Say second");
    await console.post("publish", { runId: first });
    expect(await console.refused("publish", { runId: second })).toMatchObject({
      status: 409,
      code: "conflict",
      details: { files: ["app/src/pages/about.html"] },
    });
    expect(await console.run(second)).toMatchObject({
      status: "preview_ready",
      error: expect.stringContaining("about.html"),
    });
    return second;
  }

  it("is carried out anew by the agent, which is shown what it had made", async () => {
    const second = await conflicting();
    const agent = scriptedAgent(async (context) => {
      const path = join(context.root, "app/src/pages/about.html");
      const now = await readFile(path, "utf8");
      await writeFile(path, `${now}second\n`);
    });
    app.use(agent);
    const again = await console.start("reapply", { runId: second });
    const [reply = ""] = agent.messages;
    expect(reply.startsWith("Say second\n")).toBe(true);
    expect(reply).toMatch(/<data-[0-9a-f]{16} of="the earlier change">/);
    expect(reply).toContain("+second");
    expect(again).toMatchObject({
      status: "preview_ready",
      instruction: "Say second",
      origin: { runId: second, kind: "reapply" },
      baseCommit: (await app.git("rev-parse", "main")).trim(),
    });
    expect(await console.run(second)).toMatchObject({ status: "discarded" });
    await console.post("publish", { runId: again.id });
    expect(await live("about.html")).toBe("first\nsecond\n");
  });

  it("stays ready while the new one fails, and a retry of that tries the same again", async () => {
    const second = await conflicting();
    app.use(
      scriptedAgent(async () => {
        throw new Error("no");
      }),
    );
    const failed = await console.start("reapply", { runId: second });
    expect(failed).toMatchObject({ status: "failed" });
    expect(await console.run(second)).toMatchObject({ status: "preview_ready" });
    const agent = about("both\n");
    app.use(agent);
    const again = await console.start("retry", { runId: failed.id });
    expect(agent.messages[0]).toContain("+second");
    expect(again).toMatchObject({
      status: "preview_ready",
      origin: { runId: second, kind: "reapply" },
    });
    expect(await console.run(second)).toMatchObject({ status: "discarded" });
  });

  it("is carried out anew by the literal editor, with what it built on", async () => {
    const path = "app/src/pages/now.astro";
    const text = (lead: string) => `<h1>Ada</h1>\n<p>${lead}</p>\n<p>Call me</p>\n`;
    await commitByHand({ [path]: text("Open for work") });
    const literal = (instruction: string, continues?: string) => {
      app.use(makeLiteralEditor());
      return console.start("run", { instruction, pageUrl: "/now/", continues });
    };
    const first = await literal('replace "Ada" with "Ada Lovelace"');
    const next = await literal('replace "Call me" with "Write to me"', first.id);
    expect(next).toMatchObject({ status: "preview_ready", filesChanged: [{ path, added: 2 }] });
    await commitByHand({ [path]: text("Booked out") });
    expect(await console.refused("publish", { runId: next.id })).toMatchObject({
      code: "conflict",
      details: { files: [path] },
    });
    const again = await console.start("reapply", { runId: next.id });
    expect(again).toMatchObject({ status: "preview_ready", pageUrl: "/now/" });
    await console.post("publish", { runId: again.id });
    expect(await readFile(source("now.astro"), "utf8")).toBe(
      "<h1>Ada Lovelace</h1>\n<p>Booked out</p>\n<p>Write to me</p>\n",
    );
  });
});

describe("edits by hand in content/", () => {
  const byHand = "edited by hand\n";

  async function refusedAndKept(run: Run, name = "about.html"): Promise<void> {
    expect(await console.refused("publish", { runId: run.id })).toMatchObject({
      status: 409,
      code: "dirty_tree",
      details: { files: [`app/src/pages/${name}`] },
    });
    expect(await console.run(run.id)).toMatchObject({ status: "preview_ready" });
    expect(await readFile(source(name), "utf8")).toBe(byHand);
  }

  it("are named and kept when a change is applied again or continued", async () => {
    const first = await app.edit(about("first\n"));
    await writeFile(source("about.html"), byHand);
    app.use(about("again\n"));
    const again = await console.start("reapply", { runId: first });
    await refusedAndKept(again);
    app.use(about("further\n"));
    const further = await console.start("run", { instruction: "More", continues: again.id });
    await refusedAndKept(further);
    await app.git("checkout", "--", "app/src/pages/about.html");
    await console.post("publish", { runId: further.id });
    expect(await live("about.html")).toBe("further\n");
  });

  it("are named and kept when the site is to go back to a version", async () => {
    const first = await app.edit(about("first\n"));
    await console.post("publish", { runId: first });
    const second = await app.edit(about("second\n"));
    await console.post("publish", { runId: second });
    await writeFile(source("index.html"), byHand);
    const back = await console.start("restore", { runId: first, mode: "version" });
    expect(back).toMatchObject({ status: "preview_ready", restoreMode: "version" });
    expect(back.error).toContain("app/src/pages/index.html");
    await refusedAndKept(back, "index.html");
    expect(await live("about.html")).toBe("second\n");
  });
});
