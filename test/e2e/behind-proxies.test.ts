import { mkdir, readFile } from "node:fs/promises";
import https from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts, startInstance, type TestInstance } from "../support/instance.ts";
import { nginxReleaseFile, startCaddy, startNginx } from "../support/reverse-proxies.ts";

// The main job over TLS, through the servers that `vitrine deploy` configures. They take turns at the
// site's port.

let browser: Browser;
let instance: TestInstance;
let port: number;

const origin = () => `https://localhost:${port}`;

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  [browser, instance] = await Promise.all([
    launchBrowser(),
    startInstance({
      env: { BASE_URL: origin() },
      config: { trustProxy: ["127.0.0.1/32"] },
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

async function publicHome(): Promise<string> {
  const call = https.get(`${origin()}/`, { rejectUnauthorized: false, agent: false });
  const response = await new Promise<Parameters<typeof text>[0]>((resolve, reject) => {
    call.once("response", resolve).once("error", reject);
  });
  return text(response);
}

/** What is there for the proxy: its folder, the instance behind it, and the site's address. */
async function place(name: string) {
  const dir = join(instance.dir, "..", name);
  await mkdir(dir, { recursive: true });
  const upstream = Number(new URL(instance.baseUrl).port);
  return { dir, data: instance.paths.data, upstream, hostname: "localhost", port };
}

/** Signs in, changes a text without a model, looks at the preview, and publishes it. */
async function changeText(before: string, after: string): Promise<void> {
  const viewport = { width: 1440, height: 900 };
  const { page, errors } = await openPage(browser, { viewport, ignoreHTTPSErrors: true });
  await page.goto(await instance.link());
  await page.goto(`${origin()}/#console`);
  await page
    .getByLabel("Describe a change to this page")
    .fill(`replace "${before}" with "${after}"`);
  await page.keyboard.press("Control+Enter");
  const shown = page.frameLocator("iframe").getByText(after, { exact: true }).first();
  await shown.waitFor({ timeout: 120_000 });
  // The preview's style sheets come with their ticket.
  const preview = page.frames().find((frame) => frame.url().includes("/_preview/"));
  const family = "getComputedStyle(document.body).fontFamily";
  await eventually(async () => expect(await preview?.evaluate(family)).toContain("Figtree"));
  expect(await publicHome()).toContain(before);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const released = () => readFile(join(instance.paths.current, "index.html"), "utf8");
  await eventually(async () => expect(await released()).toContain(after), 120_000);
  expect(errors).toEqual([]);
  await page.context().close();
}

test("behind nginx and behind Caddy, a change is previewed and published over TLS", async () => {
  const options = {
    ...(await place("nginx")),
    certificate: makeAuthority().selfSigned("localhost"),
  };
  const file = nginxReleaseFile(options);
  await instance.vitrine(["nginx-release", file]);
  {
    await using nginx = await startNginx(options);
    await changeText("See the work", "Look at the work");
    await instance.vitrine(["nginx-release", file]);
    nginx.reload();
    await eventually(async () => expect(await publicHome()).toContain("Look at the work"));
  }
  await using caddy = await startCaddy({ ...(await place("caddy")), tls: true });
  expect(caddy.port).toBe(port);
  await changeText("Selected work", "Recent work");
  expect(await publicHome()).toContain("Recent work");
});
