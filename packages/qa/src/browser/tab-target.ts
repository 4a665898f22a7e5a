import type { Devtools, Session } from "./devtools.ts";
import { setWidth, wide } from "./narrow.ts";

/** A page in its own context, without shared cookies or cache. */
export interface Target {
  id: string;
  contextId: string;
  session: Session;
}

/**
 * Service workers never finish registering, as on a slow line. Refusing them would break good
 * pages.
 */
const withoutWorkers =
  "if (self.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = " +
  "function register() { return new Promise(() => {}); };";

/** Media features of visitors with default settings. */
const media = [
  { name: "prefers-color-scheme", value: "light" },
  { name: "prefers-reduced-motion", value: "reduce" },
  { name: "forced-colors", value: "none" },
  { name: "prefers-contrast", value: "no-preference" },
];

const fonts = {
  standard: "Times New Roman",
  serif: "Times New Roman",
  sansSerif: "Arial",
  fixed: "Monospace",
  cursive: "Comic Sans MS",
  fantasy: "Impact",
};

/** Makes a page look as for a visitor with a wide screen, and always the same. */
async function dress(session: Session): Promise<void> {
  await Promise.all([
    setWidth(session, wide),
    session.send("Emulation.setFocusEmulationEnabled", { enabled: true }),
    session.send("Emulation.setUserAgentOverride", { userAgent: "", acceptLanguage: "en-US" }),
    session.send("Emulation.setLocaleOverride", { locale: "en-US" }),
    session.send("Emulation.setEmulatedMedia", { media: "", features: media }),
    session.send("Page.setFontFamilies", { fontFamilies: fonts }),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: withoutWorkers }),
    session.send("Page.setPrerenderingAllowed", { isAllowed: false }).catch(() => {}),
  ]);
}

/**
 * Opens an empty page whose only way to the network is a proxy on loopback. It can't download or
 * ask for permissions.
 */
export async function openTarget(devtools: Devtools, proxyPort: number): Promise<Target> {
  const { root } = devtools;
  const { browserContextId: contextId } = await root.send("Target.createBrowserContext", {
    disposeOnDetach: true,
    proxyServer: `http://127.0.0.1:${proxyPort}`,
    proxyBypassList: "<-loopback>",
  });
  const browserContextId = contextId;
  await Promise.all([
    root.send("Target.setDiscoverTargets", { discover: true }),
    root.send("Browser.grantPermissions", { browserContextId, permissions: [] }),
    root.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
  ]);
  const { targetId: id } = await root.send("Target.createTarget", {
    url: "about:blank",
    browserContextId,
  });
  const session = await devtools.attach(id);
  await dress(session);
  return { id, contextId, session };
}
