import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { scriptedAgent } from "../../../../../../test/support/runs-site.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import { makeProjects, type Projects } from "../../projects/projects.ts";
import { findProject } from "../../projects/store.ts";

let app: RunsApp;
let tasks: TestTasks;
let projects: Projects;

beforeEach(async () => {
  app = await startRunsApp();
  tasks = tasksOn(app);
  const mediaRoot = join(app.paths.content, "app/public");
  const { clock } = app.admin;
  projects = makeProjects({
    ownerName: "Mara",
    db: app.db,
    clock,
    mediaRoot,
    onChange: async () => {},
  });
  await projects.create({ name: "Harbour map", status: "published", summary: "A map." });
  await projects.create({ name: "Night ferry", status: "published", summary: "A ferry." });
});
afterEach(async () => {
  await tasks.worker.close();
  await app.cleanup();
});

const shortens = (slug: string) =>
  scriptedAgent(async ({ records }) => void (await records.setField(slug, "summary", "Shorter.")));

const summaryOf = async (slug: string) => (await findProject(app.db, { slug }))?.summary;

test("a task's own project changes unattended, and the task is live with its record", async () => {
  app.use(shortens("harbour-map"));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
  expect(await tasks.settled(id)).toMatchObject({ status: "published", error: null });
  expect(await summaryOf("harbour-map")).toBe("Shorter.");
});

test("another project waits for a person", async () => {
  app.use(shortens("night-ferry"));
  const { id } = await tasks.create({ instruction: "Shorten the summary of Harbour map" });
  const waiting = await tasks.settled(id);
  expect(waiting.status).toBe("needs_review");
  expect(JSON.stringify(waiting)).toContain("summary of “Night ferry”");
  expect(await summaryOf("night-ferry")).toBe("A ferry.");
});

test("a draft waits for a person, for no page shows it", async () => {
  app.use(
    scriptedAgent(async ({ records }) => void (await records.createDraft({ name: "New one" }))),
  );
  const { id } = await tasks.create({ instruction: "Create a draft for New one" });
  expect((await tasks.settled(id)).status).toBe("needs_review");
  expect(await findProject(app.db, { slug: "new-one" })).toBeNull();
});

test("the fix of a finding may change its page's project, and knows no draft that a link names", async () => {
  await projects.create({ name: "Inner circle", summary: "For some." });
  const known: string[] = [];
  app.use(
    scriptedAgent(async ({ records }) => {
      known.push(...(await records.list()).map(({ slug }) => slug));
      await records.setField("harbour-map", "summary", "A better map.");
    }),
  );
  const { id } = await tasks.create({
    kind: "qa-fix",
    instruction: 'change the link "/projects/inner-circle/" to "/projects/" on /about',
    pageUrl: "/projects/harbour-map/",
  });
  expect(await tasks.settled(id)).toMatchObject({ status: "published", error: null });
  expect(known.toSorted()).toEqual(["harbour-map", "night-ferry"]);
  expect(await summaryOf("harbour-map")).toBe("A better map.");
});
