import { expect, test } from "vitest";
import { startAdminApp } from "../../../../../test/support/admin.ts";
import { createBody } from "./schema.ts";
import { createSource, removeSource, sourcesFor } from "./sources.ts";
import { installStarterSources } from "./starter-sources.ts";
import { listSources } from "./store.ts";

test("an instance begins with sources for each kind of agent, within the bounds of all sources", async () => {
  await using app = await startAdminApp();
  const count = await installStarterSources(app);
  const stored = await listSources(app.db);
  expect(stored).toHaveLength(count);
  for (const { agent, title, url, notes, enabled } of stored) {
    const source = { agent, title, url, notes, enabled };
    expect(createBody.parse(source)).toEqual(source);
    expect(notes.length).toBeGreaterThan(100);
  }
  for (const kind of ["editor", "designer", "drafter", "qa"] as const) {
    expect((await sourcesFor(app.db, kind)).length).toBeGreaterThan(1);
    expect(stored.some(({ agent }) => agent === kind)).toBe(true);
  }
});

test("sources that the owner has are left alone", async () => {
  await using app = await startAdminApp();
  const own = { agent: "qa", title: "My rules", url: "", notes: "", enabled: true } as const;
  const { id } = await createSource(app, own);
  expect(await installStarterSources(app)).toBe(0);
  expect(await listSources(app.db)).toHaveLength(1);
  await removeSource(app, id);
});
