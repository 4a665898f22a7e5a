import { expect, test } from "vitest";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance } from "../support/instance.ts";
import { type ModelServer, type SeenRequest, startModelServer } from "../support/model-server.ts";

const path = "app/src/content/home.json";
const instruction = "Let the button invite to look at the work.";

/** Edits in its first step, and falls silent in the middle of its second one. */
function fallsSilent(): Promise<ModelServer> {
  const edit = { path, search: '"See the work"', replace: '"Look at the work"' };
  const hasDone = ({ raw }: SeenRequest) => raw.includes("I change the words of the button.");
  return startModelServer([
    { text: "I change the words of the button.", calls: [{ name: "edit", input: edit }] },
    { hang: true, text: "Now I look whether" },
    (request) =>
      hasDone(request)
        ? { text: "Summary: The button invites to look.\nCommit: Invite to look at the work" }
        : { text: "I don't know what this is about." },
  ]);
}

/** Kills the runner while the model speaks, after the owner has said something more. */
async function killWhileItSpeaks(
  instance: Awaited<ReturnType<typeof startInstance>>,
  admin: AdminClient,
  model: ModelServer,
): Promise<string> {
  const runId = await admin.start(instruction);
  await eventually(() => expect(model.requests).toHaveLength(2), 30_000);
  await admin.post("/devconsole/message", { runId, text: "And nothing else." });
  await instance.kill("runner");
  await instance.ready();
  return runId;
}

test("a run killed with its runner resumes where it was and is published", async () => {
  const model = await fallsSilent();
  await using instance = await startInstance({
    apart: true,
    config: { model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url } },
  });
  try {
    const admin = await signIn(instance);
    const runId = await killWhileItSpeaks(instance, admin, model);
    const { data: stopped } = await admin.get<Run>(`/devconsole/runs/${runId}`);
    expect(stopped).toMatchObject({
      status: "interrupted",
      error: "The server stopped during this run.",
      canContinue: true,
      messages: [],
    });
    expect(stopped.inputTokens).toBeGreaterThan(0);
    // Nothing was handed to the model meanwhile.
    expect(model.requests).toHaveLength(2);

    const retried = await admin.post<{ runId: string }>("/devconsole/retry", { runId });
    const next = await admin.reach(retried.data.runId, "preview_ready");
    expect(next).toMatchObject({
      instruction,
      origin: { runId, kind: "continue" },
      filesChanged: [{ path, added: 1, removed: 1 }],
      message: "Invite to look at the work",
    });
    expect(model.requests).toHaveLength(3);
    const requests = model.requests[2]?.raw ?? "";
    for (const said of [instruction, "I change the words of the button.", "Look at the work"]) {
      expect(requests).toContain(said);
    }
    expect(requests).not.toContain("Now I look whether");
    expect((await admin.get<Run>(`/devconsole/runs/${runId}`)).data.status).toBe("discarded");

    const published = await admin.post<Run>("/devconsole/publish", { runId: next.id });
    expect(published.data).toMatchObject({ status: "published" });
    expect(await (await fetch(`${instance.baseUrl}/`)).text()).toContain("Look at the work");
    expect(await instance.git("log", "-1", "--format=%B", "main")).toContain(`Run: ${next.id}`);
    expect(await instance.git("status", "--porcelain")).toBe("");
  } finally {
    await model.close();
  }
});
