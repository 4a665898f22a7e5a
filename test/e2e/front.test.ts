import { once } from "node:events";
import { stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let instance: TestInstance;
let authorization: string;

beforeAll(async () => {
  instance = await startInstance();
  const made = await instance.vitrine(["api-token", "create", "test", "--scopes", "read,write"]);
  authorization = `Bearer ${String(made["token"])}`;
}, 300_000);
afterAll(() => instance?.[Symbol.asyncDispose]());

/** Asks over a connection of its own; the code of the failure where there was no answer. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | string; body: string }> {
  const call = request(instance.baseUrl + path, { agent: false, headers });
  call.end();
  try {
    const [response] = (await once(call, "response")) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    return { status: (error as NodeJS.ErrnoException).code ?? "failed", body: "" };
  }
}

test("abuse 163: while web is away after a kill, the public site is answered and nobody is refused", async () => {
  await instance.kill("web");
  const responses: [site: number | string, health: number | string][] = [];
  const ofWeb = () => responses.at(-1)?.[1];
  while (ofWeb() !== 200) {
    const response = ask("/api/health");
    // Also those whose pages web would look at.
    for (const headers of [{}, { cookie: "visitor=1" }]) {
      const site = await ask("/", headers);
      expect(site).toEqual({ status: 200, body: expect.stringContaining("</html>") });
    }
    const { status, body } = await response;
    responses.push([200, status]);
    // What only web can answer waits for it, or is asked to come back, in the envelope.
    expect([200, 503]).toContain(status);
    expect(JSON.parse(body)).toHaveProperty("ok");
  }
}, 300_000);

test("pages are answered while web does nothing at all, and the rest goes on after that", async () => {
  await instance.signal("web", "SIGSTOP");
  const response = ask("/api/health");
  try {
    for (const path of ["/", "/about/", "/projects/"]) expect((await ask(path)).status).toBe(200);
    expect((await ask("/nothing-here/")).status).toBe(404);
  } finally {
    await instance.signal("web", "SIGCONT");
  }
  expect((await response).status).toBe(200);
}, 120_000);

test("abuse 179: whoever asks when the front is killed is answered by the next one", async () => {
  await instance.signal("front", "SIGKILL");
  const first = await Promise.all([ask("/"), ask("/about/"), ask("/api/health")]);
  expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
}, 120_000);

test("web's socket is for its own user alone", async () => {
  const { port } = new URL(instance.baseUrl);
  const { mode } = await stat(join(instance.paths.data, `web-${port}.sock`));
  expect(mode & 0o777).toBe(0o600);
});

test("an upload of some MB, a refusal of one that is too large, and a client's own word for itself", async () => {
  const noise = { type: "gaussian" as const, mean: 120, sigma: 40 };
  const image = await sharp({
    create: { width: 2400, height: 1800, channels: 3, background: "gray", noise },
  })
    .jpeg({ quality: 95 })
    .toBuffer();
  expect(image.length).toBeGreaterThan(2_000_000);
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(image)], { type: "image/jpeg" }), "noise.jpg");
  const headers = { authorization };
  const url = `${instance.baseUrl}/api/media/upload`;
  const response = await fetch(url, { method: "POST", body: form, headers });
  const { data } = (await response.json()) as { data: object | null };
  expect([response.status, data]).toEqual([201, expect.anything()]);
  const large = JSON.stringify({ name: "a", email: "a@b.example", message: "x".repeat(5_000_000) });
  const refused = await fetch(`${instance.baseUrl}/api/contact`, {
    method: "POST",
    body: large,
    headers: { "content-type": "application/json", origin: instance.baseUrl },
  });
  expect([refused.status, await refused.json()]).toMatchObject([413, { ok: false }]);
  // Throttled by its true address, whatever it says: it is this machine's own, and names a proxy.
  const forwarded = { "x-forwarded-for": "203.0.113.7", "x-vitrine-peer": "203.0.113.8" };
  expect((await ask("/api/health", forwarded)).status).toBe(200);
  await eventually(() => expect(instance.log()).toMatch(/"path":"\/api\/health"[^\n]*"ip":"127/));
  expect(instance.log()).not.toContain('"ip":"203.0.113.');
}, 120_000);

test("abuse 176: hosts that aren't ours read nothing, from pages and from all else", async () => {
  for (const path of ["/", "/api/health"]) {
    expect((await ask(path, { host: "evil.example" })).status).toBe(403);
  }
});
