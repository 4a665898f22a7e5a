import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { tasksOn } from "../../../../../test/support/runs-tasks.ts";
import { isoTime } from "../../kit/time.ts";
import { projectSchema } from "../projects/project.ts";
import { insertProject } from "../projects/store.ts";
import { createSource } from "../resources/sources.ts";
import { readSiteContext } from "../runs/site-context/site-context.ts";

const releases = { current: async () => undefined };

let app: RunsApp;
beforeEach(async () => {
  app = await startRunsApp({
    dependencies: {
      readSiteContext: (question) => readSiteContext({ db: app.db, releases }, question),
    },
  });
});
afterEach(() => app.cleanup());

it("a task's run goes by the Web Designer's sources alone, a person's by the Editor's", async () => {
  const { db } = app;
  const { clock } = app.admin;
  for (const agent of ["editor", "designer", "qa", "drafter"] as const) {
    await createSource({ db, clock }, { agent, title: agent, url: "", notes: "", enabled: true });
  }
  const read: string[][] = [];
  const turn = async (context: Parameters<typeof writePage>[0]) => {
    read.push(context.site.sources.map(({ title }) => title));
    await writePage(context, "about.html", `<h1>${read.length}</h1>\n`);
    return { message: "Say it" };
  };
  app.use(scriptedAgent(turn, turn, turn));

  const { runId } = await app.runs.start({ instruction: "Say it" });
  await eventually(async () => expect((await app.runs.get(runId)).status).toBe("preview_ready"));

  const tasks = tasksOn(app);
  const project = projectSchema.parse({ slug: "map", name: "Map", status: "draft", position: 0 });
  const at = isoTime(clock.now());
  const projectId = await insertProject(db, project, { createdAt: at, updatedAt: at });
  for (const kind of ["project", "edit"] as const) {
    const { id } = await tasks.create({ kind, projectId, instruction: "Say it" });
    expect(await tasks.settled(id)).toMatchObject({ status: "published" });
  }
  await tasks.worker.close();
  expect(read).toEqual([["editor"], ["designer"], ["designer"]]);
});
