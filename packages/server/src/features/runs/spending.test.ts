import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { stubDependencies } from "../../../../../test/support/runs-dependencies.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { AgentContext } from "../agent/agent.ts";
import { insertUse } from "../agent/ledger/store.ts";
import type { Estimate } from "./schema.ts";
import type { RunLedger } from "./run-dependencies.ts";

let app: RunsApp;
let console: RunsConsole;
let booked: Parameters<RunLedger["book"]>[0][];
let run: { tokens: number | null; cost: number | null };
let shut: boolean;
beforeEach(async () => {
  booked = [];
  run = { tokens: null, cost: null };
  shut = false;
  const plain = stubDependencies().ledger;
  const ledger: RunLedger = {
    ...plain,
    async book(use) {
      booked.push(use);
      if (use.inputTokens < 1000) return;
      const details = { limit: "day", spent: use.inputTokens, ceiling: 1000 };
      throw new AppError("upstream_failed", "Today's ceiling is reached.", { details });
    },
    async assertOpen() {
      const details = { limit: "month", spent: 5, ceiling: 5 };
      if (shut) throw new AppError("throttled", "This month's ceiling is reached.", { details });
    },
    ceilings: async () => ({ ...(await plain.ceilings()), run }),
    spent: async () => ({ day: { tokens: 3, cost: 0.3 }, month: { tokens: 5, cost: 0.5 } }),
  };
  app = await startRunsApp({ dependencies: { ledger } });
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

const use = (inputTokens: number, cost: number | null = null) => ({
  model: "provider/model",
  inputTokens,
  cachedTokens: 0,
  outputTokens: 10,
  cost,
  currency: "SEK",
});

/** Writes a page, and takes so much for it in each of its steps. */
const taking = (...steps: ReturnType<typeof use>[]) =>
  scriptedAgent(async (context: AgentContext) => {
    await writePage(context, "about.html", "x");
    for (const step of steps) await context.spend(step);
    const inputTokens = steps.reduce((sum, step) => sum + step.inputTokens, 0);
    const outputTokens = 10 * steps.length;
    const cost = steps.reduce((sum, step) => sum + (step.cost ?? 0), 0);
    return { inputTokens, outputTokens, cost, steps: steps.length };
  });

describe("what a run takes", () => {
  it("is booked step by step, for what it was", async () => {
    const edit = await app.edit(taking(use(100, 0.1), use(200, 0.2)));
    const ask = await app.edit(taking(use(50)), "What?", "ask");
    expect(booked).toMatchObject([
      { inputTokens: 100, cost: 0.1, purpose: "edit", runId: edit, model: "provider/model" },
      { inputTokens: 200, purpose: "edit", runId: edit },
      { inputTokens: 50, cost: null, purpose: "ask", runId: ask },
    ]);
  });

  it.each([
    { name: "tokens", ceiling: { tokens: 250, cost: null }, error: /limit of 250 tokens/ },
    { name: "run-cost", ceiling: { tokens: null, cost: 0.25 }, error: /cost of 0\.25 SEK/ },
  ])("stops it at its ceiling of $name, with its work kept", async ({ ceiling, error }) => {
    run = ceiling;
    const runId = await app.edit(taking(use(100, 0.1), use(200, 0.2), use(1, 0.1)));
    expect(booked).toHaveLength(2);
    const stopped = await console.run(runId);
    expect(stopped).toMatchObject({
      status: "interrupted",
      error: expect.stringMatching(error),
      inputTokens: 300,
      outputTokens: 20,
      filesChanged: [{ path: "app/src/pages/about.html" }],
    });
    expect(stopped.cost).toBeCloseTo(0.3);
  });

  it("counts a tenth of what the provider read from its cache", async () => {
    run = { tokens: 250, cost: null };
    const step = { ...use(1000), inputTokens: 999, cachedTokens: 990 };
    const runId = await app.edit(taking(step, step));
    expect(await console.run(runId)).toMatchObject({ status: "preview_ready" });
    // 118 each: the third is over.
    const over = await app.edit(taking(step, step, step));
    expect(await console.run(over)).toMatchObject({
      status: "interrupted",
      error: "The run reached its limit of 250 tokens.",
    });
  });

  it("stops it at the day's ceiling, with that in its record", async () => {
    const runId = await app.edit(taking(use(100), use(2000), use(1)));
    expect(await console.run(runId)).toMatchObject({
      status: "interrupted",
      error: "Today's ceiling is reached.",
      inputTokens: 2100,
    });
    expect(booked).toHaveLength(2);
  });

  it("keeps everything that would take more from beginning, but no restore", async () => {
    const live = await app.edit(taking(use(1)));
    await console.post("publish", { runId: live });
    const ready = await app.edit(
      scriptedAgent((context) => writePage(context, "index.html", "ready")),
    );
    const over = await app.edit(scriptedAgent(async () => ({})));
    const before = (await app.runs.list({ page: 1, perPage: 1 })).total;
    shut = true;
    const requested: [string, object][] = [
      ["run", { instruction: "x" }],
      ["run", { instruction: "x", continues: ready }],
      ["retry", { runId: over }],
      ["reapply", { runId: ready }],
      ["message", { runId: ready, text: "x" }],
    ];
    for (const [name, body] of requested) {
      expect([name, await console.refused(name, body)]).toMatchObject([
        name,
        { status: 429, code: "throttled", details: { limit: "month", spent: 5, ceiling: 5 } },
      ]);
    }
    expect((await app.runs.list({ page: 1, perPage: 1 })).total).toBe(before);
    expect(await console.start("restore", { runId: live })).toMatchObject({ status: "published" });
  });
});

describe("an estimate", () => {
  it("leaves costs in other currencies out, and counts a tenth of what was cached", async () => {
    const { db } = app.admin;
    for (const currency of ["USD", "USD", "USD", "JPY"]) {
      const runId = await app.edit(taking({ ...use(990, currency === "JPY" ? 100 : 1) }));
      const at = isoTime(app.admin.clock.now());
      const took = { ...use(990, 1), cachedTokens: 900, currency };
      await insertUse(db, { ...took, at, runId, purpose: "edit" });
    }
    app.use({ ...taking(), currency: "USD" });
    const found = await console.get<Estimate>("estimate");
    expect(found).toMatchObject({ runs: 4, currency: "USD", cost: { typical: 1, high: 1 } });
    expect(found.tokens).toEqual({ typical: 90 + 90 + 10, high: 190 });
  });

  const estimate = (query = "") => console.get<Estimate>(`estimate${query}`);

  it("is the middle and the high of what runs of its mode and model took", async () => {
    for (const tokens of [100, 300, 200]) {
      app.use(taking(use(tokens - 10, tokens / 1000)));
      const before = await estimate();
      expect(before).toMatchObject({ tokens: null, cost: null, seconds: null });
      app.builder.before = async () => void app.admin.clock.advance(tokens * 10);
      const { id } = await console.start("run", { instruction: "x" });
      // How long it waits for its owner is not part of what it takes.
      app.admin.clock.advance(500_000);
      await console.post("discard", { runId: id });
    }
    await app.edit(taking(use(900)), "What?", "ask");
    const other = taking(use(700));
    await app.edit({ ...other, model: "another" });
    app.use(taking());
    const found = await estimate();
    expect(found).toMatchObject({
      model: "scripted",
      runs: 3,
      tokens: { typical: 200, high: 300 },
      cost: { typical: 0.2, high: 0.3 },
      seconds: { typical: 2, high: 3 },
      run: { tokens: null, cost: null },
      day: { spent: { tokens: 3, cost: 0.3 }, ceiling: { tokens: null, cost: null } },
      month: { spent: { tokens: 5 } },
    });
    expect(await estimate("?mode=ask")).toMatchObject({ runs: 1, tokens: null });
    expect((await app.ask("/devconsole/estimate?mode=x")).status).toBe(422);
  });
});
