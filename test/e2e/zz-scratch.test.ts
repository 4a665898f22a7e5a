import { expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { launchBrowser, openPage } from "../support/browser.ts";
import { startInstance } from "../support/instance.ts";
test("scratch: avif arrives", async () => {
  const [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
  const started = Date.now();
  let html = "";
  while (Date.now() - started < 400_000) {
    html = await (await fetch(`${instance.baseUrl}/projects/return-shelf/`)).text();
    if (html.includes("<picture>")) break;
    await new Promise((r) => setTimeout(r, 2000));
  }
  writeFileSync("/tmp/mx/picture.html", html);
  console.log("AVIF after", Date.now() - started);
  expect(html).toContain('type="image/avif"');
  for (const [w, scheme] of [
    [390, "light"],
    [1440, "dark"],
  ] as const) {
    const { page, errors } = await openPage(browser, {
      viewport: { width: w, height: 900 },
      colorScheme: scheme,
    });
    for (const path of ["/", "/projects/return-shelf/"]) {
      await page.goto(instance.baseUrl + path, { waitUntil: "networkidle" });
      await page.screenshot({
        path: `/tmp/mx/site-${w}${path.replaceAll("/", "_")}.png`,
        fullPage: false,
      });
      console.log(
        w,
        path,
        await page.evaluate(() =>
          [...document.images]
            .slice(0, 4)
            .map((i) => `${i.currentSrc.split("/").pop()} ${i.clientWidth}x${i.clientHeight}`),
        ),
      );
    }
    console.log(errors);
  }
  await browser.close();
  await instance[Symbol.asyncDispose]();
}, 600_000);
