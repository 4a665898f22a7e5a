import { expect, test } from "vitest";
import { makeBatches } from "./batches.ts";
import { answerInstruction, headingFor } from "./model.ts";
import { developmentPage } from "./pages.ts";

const manifest = { "src/manage.tsx": { file: "manage-abc.js" } };
const built = `<!doctype html><html><head><title>T</title>
<link rel="stylesheet" href="/admin/assets/manage-abc.css"><link rel="icon" href="/icon.svg">
<script type="module" src="/admin/assets/manage-abc.js"></script></head><body>
<script src="/_astro/site.js"></script></body></html>`;

test("a page gets the console's sources instead of what was built of them", () => {
  const policy = "default-src 'none'; style-src 'self'; script-src 'self'";
  const page = developmentPage({ html: built, policy }, manifest, "n0nce");
  expect(page.html).toContain('src="/admin/assets/src/manage.tsx"');
  expect(page.html).not.toContain("manage-abc");
  expect(page.html).toContain('href="/icon.svg"');
  expect(page.html).toContain('src="/_astro/site.js"');
  expect(page.policy).toBe("default-src 'none'; style-src 'self' 'nonce-n0nce'; script-src 'self'");
});

test("a policy that takes any style keeps doing so: a nonce would end that", () => {
  const policy = "style-src 'self' 'unsafe-inline'";
  expect(developmentPage({ html: built, policy }, manifest, "n").policy).toBe(policy);
});

test("the scripted model reads, edits and says so", () => {
  const user = { role: "user", content: 'The site.\n\nLet the heading say "Hello there"' };
  const tool = (content: string) => ({ role: "tool", content });
  const call = { role: "assistant", content: "" };
  const response = (...messages: object[]) => answerInstruction({ body: { messages } });
  expect(response(user)).toMatchObject({ calls: [{ name: "read" }] });
  expect(response(user, call, tool('1: "heading": "Old \\"words\\"",'))).toMatchObject({
    calls: [
      {
        name: "edit",
        input: { search: '"heading": "Old \\"words\\""', replace: '"heading": "Hello there"' },
      },
    ],
  });
  expect(response(user, call, tool("…"), call, tool("ok"))).toMatchObject({
    text: expect.stringContaining("Summary: "),
  });
});

test("without quotation marks the instruction is the heading", () => {
  expect(headingFor("All about the site.\n\nWe make  tools")).toBe("We make tools");
});

test("what comes together is worked on together, and a failure is heard of", async () => {
  const batches: string[][] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const { add, close } = makeBatches<string>(
    async (items) => {
      batches.push(items);
      if (items.includes("bad")) throw new Error("bad");
    },
    { waitMs: 5, onError },
  );
  for (const item of ["a", "b", "a"]) add(item);
  await expect.poll(() => batches).toEqual([["a", "b"]]);
  add("bad");
  await expect.poll(() => errors.length).toBe(1);
  add("c");
  await expect.poll(() => batches.length).toBe(3);
  await close();
});
