import type { FastifyRequest } from "fastify";
import { html } from "../../kit/html.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { wantsPage } from "../../platform/http/wants-page.ts";
import type { ConsoleAssets, ConsoleEntry } from "./console-assets.ts";
import { layout, type PageSite, siteHeader } from "./page-layout.ts";

export interface NotFoundPageDependencies {
  assets: ConsoleAssets;
  site: PageSite;
  findSession(request: FastifyRequest): Promise<unknown>;
}

/** For the signed-in owner, with the navigation. */
function ownersPage(site: PageSite, entry: ConsoleEntry | undefined): string {
  return layout(
    `Page not found · ${site.ownerName}`,
    entry,
    html`<body class="panel">
      <a class="skip" href="#main">Skip to content</a>
      ${siteHeader(site, null)}
      <main id="main" tabindex="-1">
        <div class="hello">
          <h1>Page not found</h1>
          <p class="lede">The admin has no page at this address. Check it for typing errors.</p>
          <p><a class="button primary large" href="/admin">Go to the overview</a></p>
        </div>
      </main>
    </body>`,
  );
}

/** For everyone else. */
function visitorsPage(site: PageSite, entry: ConsoleEntry | undefined): string {
  return layout(
    `Page not found · ${site.ownerName}`,
    entry,
    html`<body class="login">
      <main>
        <p class="eyebrow"><a href="/">${site.ownerName}</a></p>
        <h1>Page not found</h1>
        <p class="lede">There’s no page at this address.</p>
        <p><a href="/">Go to the home page</a></p>
        <p class="note">Is this your site? <a href="/admin">Sign in</a></p>
      </main>
    </body>`,
  );
}

/**
 * Answers unknown addresses below /admin/ with a page if a browser opens them; other clients get
 * the error as JSON. `headers` are those of every admin page.
 */
export function registerNotFoundPage(
  app: AppServer,
  { assets, site, findSession }: NotFoundPageDependencies,
  headers: Readonly<Record<string, string>>,
): void {
  app.addHook("onSend", async (request, reply, payload) => {
    const isMissing = reply.statusCode === 404 && request.url.startsWith("/admin/");
    if (!isMissing || request.method !== "GET" || !wantsPage(request)) return payload;
    const session = await findSession(request).catch((error: unknown) => {
      request.log.error({ err: error }, "the session can't be checked");
      return null;
    });
    reply.headers(headers);
    const entry = assets.entry("admin");
    return session === null ? visitorsPage(site, entry) : ownersPage(site, entry);
  });
}
