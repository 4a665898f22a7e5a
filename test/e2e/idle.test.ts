import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance } from "../support/instance.ts";

test("builders start at the admin's first request and not before", async () => {
  await using instance = await startInstance({ warm: true });
  const builders = () => readdir(instance.paths.builders);
  expect(await builders()).toEqual([]);
  await fetch(`${instance.baseUrl}/`);
  const admin = await signIn(instance);
  expect(await builders()).toEqual([]);
  await admin.get("/api/adminlog/list");
  // One that can compile, and one that only renders.
  await eventually(async () => expect(await builders()).toHaveLength(2));
}, 240_000);
