import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { sendStoredFile } from "./stored-file.ts";

test("a file that another node has just stored is got and sent; names that no file has aren't asked for", async () => {
  await using folder = await tempFolder();
  const root = folder.path;
  const stored = join(root, "2026", "a.jpg");
  const asked: string[] = [];
  const copies = {
    async fetch(paths: readonly string[]) {
      asked.push(...paths);
      if (!paths.includes(stored)) return;
      await mkdir(dirname(stored), { recursive: true });
      await writeFile(stored, "bytes");
    },
  };
  const app = Fastify();
  app.get("/:year/:name", (request, reply) => sendStoredFile({ root, copies }, request, reply));
  const ask = async (url: string) => {
    const { statusCode, body } = await app.inject(url);
    return statusCode === 200 ? body : "none";
  };
  expect(await ask("/2026/b.jpg")).toBe("none");
  expect(await ask("/2026/a.jpg")).toBe("bytes");
  expect(await ask("/2026/a.jpg")).toBe("bytes");
  expect(await ask("/2026/..%2Fa.jpg")).toBe("none");
  expect(await ask("/2026/a.txt")).toBe("none");
  expect(asked).toEqual([join(root, "2026", "b.jpg"), stored]);
  await app.close();
});
