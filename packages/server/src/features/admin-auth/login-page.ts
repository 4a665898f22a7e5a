import type { ConsoleEntry } from "./console-assets.ts";
import { Markup, html } from "../../kit/html.ts";
import { layout, type PageSite } from "./page-layout.ts";

function failureNotice(hasPassword: boolean): Markup {
  const cause = hasPassword
    ? "The password or the link is wrong"
    : "The link is wrong or was replaced";
  return html`<p class="failure" role="alert" id="failure">
    <b>You aren’t signed in.</b> ${cause}, or there were too many attempts. Try again; after several
    failures, wait 15 minutes first.
  </p>`;
}

function passwordForm({ failed, next }: { failed: boolean; next: string | null }): Markup {
  return html`<form method="post" action="/admin/login" data-sign-in>
      ${next === null ? null : html`<input type="hidden" name="next" value="${next}" />`}
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="1024"
        autofocus${failed ? new Markup(` aria-invalid="true" aria-describedby="failure"`) : null}
      />
      <button class="button primary">Sign in</button>
    </form>
    <p class="note">
      Forgot your password? Set a new one on the server with
      <code>vitrine set-admin-password</code>, or make a sign-in link with
      <code>vitrine set-admin-token</code>.
    </p>`;
}

/** How to sign in if no password has been set. */
const linkAdvice = html`<p>
    No password has been chosen yet, so you sign in with a link. Open the one you got when the site
    was installed, or run this on the server to get a new one:
  </p>
  <p><code>vitrine set-admin-token</code></p>
  <p class="note">
    A new link replaces the old one. Once you’re signed in, you can choose a password.
  </p>`;

/**
 * The sign-in page, which works without JavaScript. It leads back to `next`, otherwise to the
 * overview. Without a password it has no form and explains how to get a link.
 */
export function loginPage(
  site: PageSite,
  entry: ConsoleEntry | undefined,
  given: { failed: boolean; next: string | null; hasPassword: boolean },
): string {
  const { failed, hasPassword } = given;
  return layout(
    `Sign in · ${site.ownerName}`,
    entry,
    html`<body class="login">
      <main>
        <p class="eyebrow"><a href="/">${site.ownerName}</a></p>
        <h1>Sign in</h1>
        <p class="lede">For the owner of this site.</p>
        ${failed ? failureNotice(hasPassword) : null}
        ${hasPassword ? passwordForm(given) : linkAdvice}
      </main>
    </body>`,
  );
}
