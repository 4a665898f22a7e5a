import { html } from "../../kit/html.ts";
import type { ConsoleEntry } from "./console-assets.ts";
import { layout, type PageSite, siteHeader } from "./page-layout.ts";

/** Says to the signed-in owner that an address below /admin/ has no page, with the navigation. */
export function ownerNotFoundPage(site: PageSite, entry: ConsoleEntry | undefined): string {
  return layout(
    `Page not found · ${site.ownerName}`,
    entry,
    html`<body class="panel">
      <a class="skip" href="#main">Skip to content</a>
      ${siteHeader(site, null)}
      <main id="main" tabindex="-1">
        <div class="hello">
          <h1>Page not found</h1>
          <p class="lede">The admin has no page at this address. Check the address for typos.</p>
          <p><a class="button primary large" href="/admin">Go to the overview</a></p>
        </div>
      </main>
    </body>`,
  );
}

/** Says the same to everyone else. */
export function visitorNotFoundPage(site: PageSite, entry: ConsoleEntry | undefined): string {
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
