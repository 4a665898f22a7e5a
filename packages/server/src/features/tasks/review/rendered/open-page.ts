import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../../release/artifact/artifact.ts";
import { type PageView, type Viewport, viewports } from "./page-view.ts";
import type { BrowserSession, RunningBrowser } from "./review-browser.ts";

/** A folder with a site and its manifest. */
export interface ShownSite {
  dir: string;
  manifest: Manifest;
}

/**
 * The address under which sites are shown: it leads nowhere, and all its requests are answered
 * here.
 */
const origin = "https://review.invalid";
const height = 900;
const loadMs = 15_000;
const maxBytes = 32 * 1024 * 1024;

const script = readFileSync(new URL("./page-side.js", import.meta.url), "utf8");

/** A tab that shows one site's files and can reach nothing else. */
export interface SiteTab {
  /** Views a page in every configuration. Throws if it doesn't load in time. */
  view(path: string): Promise<PageView[]>;
}

/** Answers a page's requests with the site's files and refuses all others. */
async function serveFiles(session: BrowserSession, { dir, manifest }: ShownSite): Promise<void> {
  session.on("Fetch.requestPaused", ({ requestId, request }) => {
    const response = async () => {
      const url = URL.parse(request.url);
      const path =
        url?.origin === origin && request.method === "GET" ? decodeURIComponent(url.pathname) : "";
      const entry = Object.hasOwn(manifest.files, path) ? manifest.files[path] : undefined;
      if (!entry || entry.bytes > maxBytes) {
        await session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
        return;
      }
      const body = (await readFile(join(dir, entry.file))).toString("base64");
      const responseHeaders = [{ name: "Content-Type", value: entry.type }];
      await session.send("Fetch.fulfillRequest", {
        requestId,
        responseCode: 200,
        responseHeaders,
        body,
      });
    };
    // A closed page makes no more requests.
    response().catch(() => {});
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
}

async function setViewport(session: BrowserSession, { width, theme }: Viewport): Promise<void> {
  await session.send("Emulation.setDeviceMetricsOverride", {
    width,
    height,
    deviceScaleFactor: 1,
    mobile: width < 600,
  });
  await session.send("Emulation.setEmulatedMedia", {
    features: [
      { name: "prefers-color-scheme", value: theme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ],
  });
}

async function load(session: BrowserSession, path: string): Promise<void> {
  const loaded = Promise.withResolvers<void>();
  const onLoad = () => loaded.resolve();
  session.on("Page.loadEventFired", onLoad);
  const late = setTimeout(() => loaded.reject(new Error(`${path} did not load in time`)), loadMs);
  try {
    const { errorText } = await session.send("Page.navigate", {
      url: new URL(encodeURI(path), origin).href,
    });
    if (errorText !== undefined) throw new Error(`${path} did not load: ${errorText}`);
    await loaded.promise;
  } finally {
    clearTimeout(late);
  }
}

async function read(session: BrowserSession, contextId: number): Promise<PageView> {
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: "readVitrinePage()",
    contextId,
    awaitPromise: true,
    returnByValue: true,
    timeout: loadMs,
  });
  if (exceptionDetails)
    throw new Error(exceptionDetails.exception?.description ?? "a page can't be read");
  return result.value as PageView;
}

/** Opens a tab for a site. */
export async function openSiteTab(
  { root, attach }: RunningBrowser,
  site: ShownSite,
): Promise<SiteTab> {
  const { browserContextId } = await root.send("Target.createBrowserContext", {
    disposeOnDetach: true,
  });
  const { targetId } = await root.send("Target.createTarget", {
    url: "about:blank",
    browserContextId,
  });
  const session = await attach(targetId);
  session.on("Page.javascriptDialogOpening", () => {
    session.send("Page.handleJavaScriptDialog", { accept: false }).catch(() => {});
  });
  await session.send("Page.enable");
  await serveFiles(session, site);
  return {
    async view(path) {
      await setViewport(session, viewports[0] as Viewport);
      await load(session, path);
      const { executionContextId } = await session.send("Page.createIsolatedWorld", {
        frameId: targetId,
        worldName: "review",
      });
      await session.send("Runtime.evaluate", { expression: script, contextId: executionContextId });
      const views: PageView[] = [];
      for (const viewport of viewports) {
        await setViewport(session, viewport);
        views.push(await read(session, executionContextId));
      }
      return views;
    },
  };
}
