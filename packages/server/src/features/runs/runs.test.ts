import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { AppError } from "../../kit/errors.ts";
import { addEntry } from "../changelog/entry.ts";
import { listEntries } from "../changelog/store.ts";
import { isFinal, canTransition } from "./run-status.ts";
import { type RunStatus, runStatus } from "./schema.ts";
import { compareAndSetStatus } from "./store.ts";

let app: RunsApp;
beforeEach(async () => {
  app = await startRunsApp();
});
afterEach(() => app.cleanup());

const aboutNow = (text: string) =>
  scriptedAgent(async (context) => {
    await writePage(context, "about.html", `<h1>${text}</h1>\n`);
    return { message: `Say ${text}`, summary: `The page says ${text}.` };
  });

async function typesOf(runId: string): Promise<string[]> {
  return (await app.events.listAfter(runId, 0)).map(({ type, data }) =>
    type === "run.status" ? `=${(data as { status: string }).status}` : type,
  );
}

/** Puts a run into a state as if something else had happened to it. */
const force = (runId: string, status: RunStatus) =>
  compareAndSetStatus(app.db, runId, ["preview_ready"], { status });

const workspaces = () => readdir(app.paths.workspaces).catch(() => [] as string[]);
const artifacts = async () =>
  (await readdir(app.paths.artifacts)).filter((n) => n.endsWith(".json") && !n.startsWith("."));
const livePage = (page: string) => readFile(join(app.paths.current, page), "utf8");
const entries = async () => (await listEntries(app.db, { limit: 100, offset: 0 })).items;

describe("states", () => {
  it("allows what is drawn and nothing else", () => {
    const drawn = runStatus.options.flatMap((from) =>
      runStatus.options.filter((to) => canTransition(from, to)).map((to) => `${from} ${to}`),
    );
    expect(drawn.toSorted()).toEqual(
      [
        "queued running",
        "queued failed",
        "queued cancelled",
        "queued interrupted",
        "running building",
        "running discarded",
        "running failed",
        "running cancelled",
        "running interrupted",
        "building running",
        "building preview_ready",
        "building discarded",
        "building failed",
        "building cancelled",
        "building interrupted",
        "preview_ready publishing",
        "preview_ready discarded",
        "publishing published",
        "publishing preview_ready",
        "failed discarded",
        "interrupted discarded",
      ].toSorted(),
    );
    expect(runStatus.options.filter(isFinal)).toEqual([
      "published",
      "discarded",
      "failed",
      "cancelled",
      "interrupted",
    ]);
  });
});

describe("an edit", () => {
  it("goes from instruction to preview to public page", async () => {
    const runId = await app.edit(aboutNow("hello"));
    const ready = await app.runs.get(runId);
    expect(ready).toMatchObject({
      status: "preview_ready",
      message: "Say hello",
      summary: "The page says hello.",
      filesChanged: [{ path: "app/src/pages/about.html", added: 1, removed: 1 }],
      previewUrl: `/_preview/${runId}/`,
      actor: "Editor",
      model: "scripted",
      error: null,
    });
    expect((await app.runs.getDiff(runId)).files[0]?.patch).toContain("+<h1>hello</h1>");
    const before = await app.git("rev-parse", "main");

    expect((await app.runs.get(runId)).isInChangelog).toBe(false);
    const published = await app.runs.publish(runId);
    expect(published).toMatchObject({ status: "published", previewUrl: null });
    expect(published.commit).toBe((await app.git("rev-parse", "main")).trim());
    expect(await app.git("rev-parse", "main~1")).toBe(before);
    expect(await app.git("log", "-1", "--format=%B", "main")).toMatch(
      new RegExp(`^Say hello\\n[^]*Run: ${runId}\\n[^]*Actor: Editor\\n`),
    );
    expect(await livePage("about.html")).toBe("<h1>hello</h1>\n");
    expect(await livePage("changelog/index.html")).toBe("<ul></ul>");
    expect(await entries()).toMatchObject([
      {
        title: "Say hello",
        detail: "The page says hello.",
        actor: "Editor",
        kind: "content",
        commit: published.commit,
      },
    ]);
    expect(await workspaces()).toEqual([]);
    expect(await typesOf(runId)).toEqual([
      "=queued",
      "=running",
      "run.started",
      "=building",
      "build.started",
      "build.log",
      "build.log",
      "build.passed",
      "checks.started",
      "checks.done",
      "=preview_ready",
      "preview.ready",
      "=publishing",
      "=published",
      "run.finished",
    ]);
    expect(app.builder.builds).toBe(1);
  });

  it("hands a build error back and takes the repair", async () => {
    const agent = scriptedAgent(
      (context) => writePage(context, "about.html", "BROKEN"),
      async (context) => {
        await writePage(context, "about.html", "mended");
        return { message: "Mend", steps: 2 };
      },
    );
    const runId = await app.edit(agent);
    expect(agent.messages[1]).toContain("- about.html: BROKEN is not a page");
    expect(await app.runs.get(runId)).toMatchObject({
      status: "preview_ready",
      message: "Mend",
      steps: 2,
    });
    expect((await typesOf(runId)).filter((type) => /^build\.(?!log)/.test(type))).toEqual([
      "build.started",
      "build.failed",
      "build.started",
      "build.passed",
    ]);
  });

  it("fails after two repairs that don't help, and leaves nothing behind", async () => {
    const breakIt = (n: number) => (context: Parameters<typeof writePage>[0]) =>
      writePage(context, "about.html", `BROKEN ${n}`);
    const agent = scriptedAgent(breakIt(1), breakIt(2), breakIt(3), breakIt(4));
    const runId = await app.edit(agent);
    expect(agent.messages).toHaveLength(3);
    const run = await app.runs.get(runId);
    expect(run).toMatchObject({ status: "failed", previewUrl: null });
    expect(run.error).toContain("about.html: BROKEN is not a page");
    expect(run.finishedAt).not.toBeNull();
    expect(await workspaces()).toEqual([]);
    expect((await app.runs.getDiff(runId)).files).toHaveLength(1);
  });

  it("does not build again what the agent has just seen fail", async () => {
    const agent = scriptedAgent(
      async (context) => {
        await writePage(context, "about.html", "BROKEN");
        expect(await context.checkSite(context.signal)).toEqual({
          ok: false,
          errors: ["about.html: BROKEN is not a page"],
        });
        expect(await context.checkSite(context.signal)).toMatchObject({ ok: false });
      },
      async (context) => {
        await writePage(context, "about.html", "fine");
        expect(await context.checkSite(context.signal)).toEqual({ ok: true, pages: 3 });
        expect(await context.checkSite(context.signal)).toEqual({ ok: true, pages: 3 });
      },
    );
    const runId = await app.edit(agent);
    expect(await app.runs.get(runId)).toMatchObject({ status: "preview_ready" });
    // Broken, and checked: without an entry of the changelog the preview is just that build.
    expect(app.builder.builds).toBe(2);
  });

  it("ends with words when nothing was changed, or only a question was asked", async () => {
    const response = { summary: "The page says About." };
    for (const mode of ["build", "ask"] as const) {
      const agent = scriptedAgent(async (context) => {
        expect(context.mode).toBe(mode);
        return response;
      });
      const runId = await app.edit(agent, "What does it say?", mode);
      expect(await app.runs.get(runId)).toMatchObject({
        status: "discarded",
        filesChanged: [],
        ...response,
      });
      expect((await app.events.listAfter(runId, 0)).at(-1)).toMatchObject({
        type: "run.finished",
        data: { status: "discarded", message: response.summary },
      });
    }
    expect(app.builder.builds).toBe(0);
    expect(await workspaces()).toEqual([]);
  });

  it("fails when a file outside the write paths was changed", async () => {
    const agent = scriptedAgent(async (context) => {
      const { writeFile, mkdir } = await import("node:fs/promises");
      await mkdir(join(context.root, "scripts"));
      await writeFile(join(context.root, "scripts/x.sh"), "#!");
    });
    const runId = await app.edit(agent);
    expect(await app.runs.get(runId)).toMatchObject({
      status: "failed",
      error: 'No run may change "scripts/x.sh".',
    });
    expect(await workspaces()).toEqual([]);
  });

  it("abuse 70: fails with the agent's reason, workspace clean, and can be retried", async () => {
    const agent = scriptedAgent(async (context) => {
      await writePage(context, "about.html", "half");
      throw new AppError("upstream_failed", "The model did not answer.");
    });
    const runId = await app.edit(agent, "Do it");
    expect(await app.runs.get(runId)).toMatchObject({
      status: "failed",
      error: "The model did not answer.",
    });
    expect(await workspaces()).toEqual([]);
    app.use(aboutNow("again"));
    const { runId: second } = await app.runs.retry(runId);
    await app.runs.waitUntilFinished(second);
    expect(await app.runs.get(second)).toMatchObject({
      status: "preview_ready",
      instruction: "Do it",
    });
  });

  it("keeps what nobody expected out of the answer", async () => {
    const runId = await app.edit(
      scriptedAgent(async () => {
        throw new Error("secret detail");
      }),
    );
    const run = await app.runs.get(runId);
    expect(run.status).toBe("failed");
    expect(run.error).not.toContain("secret");
  });

  it("works on one run at a time; the others wait and can be cancelled there", async () => {
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        entered.resolve();
        await release.promise;
        await writePage(context, "about.html", "first");
      }),
    );
    const first = await app.runs.start({ instruction: "one" });
    await entered.promise;
    const second = await app.runs.start({ instruction: "two" });
    expect(await app.runs.get(second.runId)).toMatchObject({ status: "queued" });
    expect(await app.runs.cancel(second.runId)).toMatchObject({ status: "cancelled" });
    release.resolve();
    await app.runs.waitUntilFinished(first.runId);
    await app.runs.waitUntilFinished(second.runId);
    expect((await app.runs.get(first.runId)).status).toBe("preview_ready");
    expect(await typesOf(second.runId)).toEqual(["=queued", "=cancelled", "run.finished"]);
  });

  it("throttles when twenty are waiting", async () => {
    const release = Promise.withResolvers<void>();
    app.use(scriptedAgent(async () => release.promise));
    for (let i = 0; i < 20; i += 1) await app.runs.start({ instruction: String(i) });
    await expect(app.runs.start({ instruction: "more" })).rejects.toMatchObject({
      code: "throttled",
    });
    release.resolve();
  });
});

describe("cancel", () => {
  it("reaches the agent, ends in cancelled, and later words change nothing", async () => {
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "half");
        entered.resolve();
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        context.emit({ type: "model.text", data: { text: "too late" } });
      }),
    );
    const { runId } = await app.runs.start({ instruction: "x" });
    await entered.promise;
    expect(await app.runs.cancel(runId)).toMatchObject({ status: "cancelled" });
    expect(await workspaces()).toEqual([]);
    expect((await typesOf(runId)).slice(-2)).toEqual(["=cancelled", "run.finished"]);
    await expect(app.runs.cancel(runId)).rejects.toMatchObject({
      code: "invalid_state",
      details: { status: "cancelled" },
    });
  });

  it("reaches the build", async () => {
    const entered = Promise.withResolvers<void>();
    app.builder.before = (job) => {
      entered.resolve();
      return new Promise((_, reject) =>
        job.signal?.addEventListener("abort", () => reject(job.signal?.reason)),
      );
    };
    app.use(aboutNow("x"));
    const { runId } = await app.runs.start({ instruction: "x" });
    await entered.promise;
    expect(await app.runs.cancel(runId)).toMatchObject({ status: "cancelled" });
    expect(await workspaces()).toEqual([]);
  });
});

describe("discard", () => {
  it("leaves git, releases, artifacts and records as they were", async () => {
    const live = await app.edit(aboutNow("live"));
    await app.runs.publish(live);
    const check = async () => ({
      status: await app.git("status", "--porcelain"),
      refs: await app.git("for-each-ref"),
      worktrees: await app.git("worktree", "list"),
      releases: await readdir(app.paths.releases),
      artifacts: await artifacts(),
      entries: await entries(),
      workspaces: await workspaces(),
      page: await livePage("about.html"),
    });
    const before = await check();
    const runId = await app.edit(aboutNow("other"));
    expect(await artifacts()).toHaveLength(before.artifacts.length + 1);
    expect(await app.runs.discard(runId)).toMatchObject({ status: "discarded", previewUrl: null });
    expect(await check()).toEqual(before);
  });

  it.each<RunStatus>(["published", "discarded", "cancelled"])(
    "is refused for a %s run",
    async (status) => {
      const runId = await app.edit(aboutNow("x"));
      await force(runId, status);
      await expect(app.runs.discard(runId)).rejects.toMatchObject({
        code: "invalid_state",
        details: { status },
      });
    },
  );
});

describe("publish", () => {
  it("abuse 83: of publish and discard at once, one wins and the other is 409", async () => {
    for (let round = 0; round < 4; round += 1) {
      const runId = await app.edit(aboutNow(`round ${round}`));
      const attempts = [() => app.runs.publish(runId), () => app.runs.discard(runId)];
      if (round % 2) attempts.reverse();
      const results = await Promise.allSettled(
        [...attempts, ...attempts].map((attempt) => attempt()),
      );
      const failed = results.flatMap((result) =>
        result.status === "rejected" ? [result.reason] : [],
      );
      expect(failed).toHaveLength(3);
      for (const reason of failed)
        expect(reason).toMatchObject({ code: "invalid_state", status: 409 });
      const { status } = await app.runs.get(runId);
      const live = await livePage("about.html").catch(() => "");
      expect(live.includes(`round ${round}`)).toBe(status === "published");
    }
  });

  it("mentions a small edit only where that is asked for, and a larger one unless it isn't", async () => {
    const lines = (count: number) =>
      scriptedAgent(async (context) => {
        await writePage(context, "about.html", "<p>line</p>\n".repeat(count));
        return { message: `Write ${count} lines` };
      });
    const small = await app.edit(lines(3));
    const builds = app.builder.builds;
    await app.runs.publish(small);
    // What was looked at goes live as it was, and the change is recorded for the owner.
    expect(await livePage("changelog/index.html")).toBe("<ul></ul>");
    expect(app.builder.builds).toBe(builds);
    expect(await entries()).toMatchObject([{ title: "Write 3 lines", hidden: true }]);

    const large = await app.edit(lines(30));
    expect((await app.runs.get(large)).isInChangelog).toBe(true);
    await app.runs.publish(large);
    expect(await livePage("changelog/index.html")).toBe("<ul><li>Write 30 lines</li></ul>");
    const quiet = await app.edit(lines(60));
    await app.runs.publish(quiet, { mentionInChangelog: false });
    expect(await livePage("changelog/index.html")).toBe("<ul><li>Write 30 lines</li></ul>");
    const told = await app.edit(lines(61));
    expect(await app.runs.publish(told, { mentionInChangelog: true })).toMatchObject({
      isInChangelog: true,
    });
    const titles = "<li>Write 61 lines</li><li>Write 30 lines</li>";
    expect(await livePage("changelog/index.html")).toBe(`<ul>${titles}</ul>`);
  });

  it("builds anew when another run was published in between", async () => {
    const first = await app.edit(aboutNow("first"));
    const second = await app.edit(
      scriptedAgent(async (context) => {
        await writePage(context, "index.html", "second");
        return { message: "Second" };
      }),
    );
    await app.runs.publish(first, { mentionInChangelog: true });
    await app.runs.publish(second, { mentionInChangelog: true });
    expect(await livePage("about.html")).toBe("<h1>first</h1>\n");
    expect(await livePage("index.html")).toBe("second");
    expect(await livePage("changelog/index.html")).toMatch(/Second.*Say first|Say first.*Second/);
    expect((await app.git("rev-list", "--count", "main")).trim()).toBe("3");
  });

  it("builds anew when the preview's files were removed by hand", async () => {
    const runId = await app.edit(aboutNow("pruned"));
    const { artifactSha } = await app.runs.getPreview(runId);
    await rm(join(app.paths.artifacts, `${artifactSha}.json`));
    await app.runs.publish(runId);
    expect(await livePage("about.html")).toBe("<h1>pruned</h1>\n");
  });

  it("builds anew what was found damaged, when it is asked again", async () => {
    const runId = await app.edit(aboutNow("damaged"));
    const { artifactSha } = await app.runs.getPreview(runId);
    await rm(join(app.paths.artifacts, artifactSha, "about.html"));
    await expect(app.runs.publish(runId)).rejects.toMatchObject({ code: "conflict" });
    await app.runs.publish(runId);
    expect(await livePage("about.html")).toBe("<h1>damaged</h1>\n");
  });

  it("is done when it is live, whatever becomes of the workspace", async () => {
    const runId = await app.edit(aboutNow("live"));
    const { lock } = app.repository;
    const { run: block } = lock;
    const { runs } = app.another({
      onStep(name) {
        if (name !== "pruned") return;
        lock.run = () => Promise.reject(new AppError("locked", "Another process is at work."));
      },
    });
    expect(await runs.publish(runId)).toMatchObject({ status: "published" });
    expect(await workspaces()).toEqual([runId]);
    lock.run = block;
    await runs.recover();
    expect(await workspaces()).toEqual([]);
  });

  it("tells of a conflict, stays ready, and can be discarded", async () => {
    const first = await app.edit(aboutNow("first"));
    const second = await app.edit(aboutNow("second"));
    await app.runs.publish(first);
    await expect(app.runs.publish(second)).rejects.toMatchObject({ code: "conflict" });
    const run = await app.runs.get(second);
    expect(run.status).toBe("preview_ready");
    expect(run.error).not.toBeNull();
    expect((await typesOf(second)).slice(-3)).toEqual(["=publishing", "=preview_ready", "error"]);
    expect((await app.events.listAfter(second, 0)).at(-1)?.data).toEqual({
      message: run.error,
      conflict: [expect.stringContaining("about")],
    });
    expect(await livePage("about.html")).toBe("<h1>first</h1>\n");
    expect(await app.runs.discard(second)).toMatchObject({ status: "discarded" });
  });

  it("is refused for a run that is not ready", async () => {
    const runId = await app.edit(scriptedAgent(async () => ({})));
    await expect(app.runs.publish(runId)).rejects.toMatchObject({
      code: "invalid_state",
      details: { status: "discarded" },
    });
    await expect(app.runs.publish("01KAJ3X0M0AAAAAAAAAAAAAAAA")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("restore", () => {
  it("takes one publish back and goes live at once; and back again", async () => {
    const runId = await app.edit(aboutNow("changed"));
    await app.runs.publish(runId);
    const { runId: undo } = await app.runs.restore(runId);
    await app.runs.waitUntilFinished(undo);
    expect(await app.runs.get(undo)).toMatchObject({
      kind: "restore",
      status: "published",
      restoredRunId: runId,
      actor: "Owner",
      message: "Undo “Say changed”",
    });
    expect(await livePage("about.html")).toBe("<h1>About</h1>\n");
    const { runId: redo } = await app.runs.restore(undo);
    await app.runs.waitUntilFinished(redo);
    expect(await livePage("about.html")).toBe("<h1>changed</h1>\n");
    expect((await entries()).map(({ actor }) => actor)).toEqual(["Owner", "Owner", "Editor"]);
    expect(await workspaces()).toEqual([]);
  });

  it("fails with the files when later changes stand in the way", async () => {
    const first = await app.edit(aboutNow("first"));
    await app.runs.publish(first);
    await app.runs.publish(await app.edit(aboutNow("second")));
    const { runId } = await app.runs.restore(first);
    await app.runs.waitUntilFinished(runId);
    const run = await app.runs.get(runId);
    expect(run.status).toBe("failed");
    expect(run.error).toBeTruthy();
    expect(await workspaces()).toEqual([]);
    expect(await livePage("about.html")).toBe("<h1>second</h1>\n");
  });

  it("is refused for what was never published", async () => {
    const runId = await app.edit(aboutNow("x"));
    await expect(app.runs.restore(runId)).rejects.toMatchObject({ code: "invalid_state" });
  });
});

describe("a restart", () => {
  it("interrupts what was running, keeps its workspace for a day, and previews stay publishable", async () => {
    const ready = await app.edit(aboutNow("ready"));
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        await writePage(context, "index.html", "half");
        entered.resolve();
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        context.signal.throwIfAborted();
      }),
    );
    const running = await app.runs.start({ instruction: "x" });
    await entered.promise;
    const waiting = await app.runs.start({ instruction: "y" });
    await app.runs.close();

    const later = app.another().runs;
    await later.recover();
    for (const { runId } of [running, waiting]) {
      expect(await later.get(runId)).toMatchObject({ status: "interrupted" });
      expect((await app.events.listAfter(runId, 0)).at(-1)?.type).toBe("run.finished");
    }
    expect((await workspaces()).toSorted()).toEqual([ready, running.runId].toSorted());
    app.admin.clock.advance(25 * 60 * 60 * 1000);
    await app.another().runs.recover();
    expect(await workspaces()).toEqual([ready]);
    expect(await later.publish(ready)).toMatchObject({ status: "published" });
    expect(await livePage("about.html")).toBe("<h1>ready</h1>\n");
  });

  it("interrupts what a killed process was working on", async () => {
    const runId = await app.edit(aboutNow("x"));
    await force(runId, "building");
    const later = app.another().runs;
    await later.recover();
    expect(await later.get(runId)).toMatchObject({
      status: "interrupted",
      error: "The server stopped during this run.",
    });
    expect(await later.discard(runId)).toMatchObject({ status: "discarded" });
    expect(await workspaces()).toEqual([]);
  });

  it("abuse 85: a publish that never began is ready again", async () => {
    const runId = await app.edit(aboutNow("x"));
    await app.events.transition(runId, ["preview_ready"], { status: "publishing" });
    const later = app.another().runs;
    await later.recover();
    expect(await later.get(runId)).toMatchObject({ status: "preview_ready" });
    expect(await later.publish(runId)).toMatchObject({ status: "published" });
  });

  it("abuse 87: who was taken for dead while it published publishes no more", async () => {
    const runId = await app.edit(aboutNow("x"));
    const head = await app.git("rev-parse", "main");
    const [entered, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // With other records the site is built anew before the publish is written down.
    const entry = { kind: "fix", title: "Mended", detail: "", at: "2026-01-01T00:00:00.000Z" };
    await addEntry(app.db, { ...entry, actor: "Owner", commit: head.trim() });
    app.builder.before = () => {
      entered.resolve();
      return may.promise;
    };
    const publish = app.runs.publish(runId).catch((error: unknown) => error);
    await entered.promise;
    const other = app.another().runs;
    await other.recoverAbandoned();
    expect(await other.get(runId)).toMatchObject({ status: "preview_ready" });
    may.resolve();
    expect(await publish).toMatchObject({ code: "invalid_state" });
    expect(await app.git("rev-parse", "main")).toBe(head);
    expect(await other.get(runId)).toMatchObject({ status: "preview_ready", error: null });
    expect(await other.publish(runId)).toMatchObject({ status: "published" });
  });

  it("stops work that another process has cancelled", async () => {
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        entered.resolve();
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      }),
    );
    const { runId } = await app.runs.start({ instruction: "x" });
    await entered.promise;
    await app.another().runs.cancel(runId);
    await eventually(async () => expect(await workspaces()).toEqual([]));
    await app.runs.waitUntilFinished(runId);
    expect((await app.runs.get(runId)).status).toBe("cancelled");
  });

  it("stops work that was interrupted elsewhere and then discarded, before it has looked", async () => {
    const entered = Promise.withResolvers<void>();
    app.use(
      scriptedAgent(async (context) => {
        entered.resolve();
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      }),
    );
    const { runId } = await app.runs.start({ instruction: "x" });
    await entered.promise;
    const other = app.another().runs;
    await other.recoverAbandoned();
    await other.discard(runId);
    expect(await app.runs.waitUntilFinished(runId)).toMatchObject({ how: "lost" });
    expect(await workspaces()).toEqual([]);
  });
});
