import { html, type Markup } from "../../../kit/html.ts";
import type { AccountPage, Overview, FormError } from "./page.ts";
import {
  heading,
  hiddenInput,
  newPasswordField,
  notice,
  passwordField,
  formErrorNotice,
  titleOf,
} from "./form-fields.ts";
import { sessionList, providersSection } from "./sign-ins.ts";

function projectsSection({ projects, siteName, who }: Overview): Markup {
  if (projects === null) {
    return html`<p role="alert">Couldn’t load your projects. <a href="/account">Try again</a>.</p>`;
  }
  if (projects.length === 0) {
    return html`<p class="muted">
      Nothing yet. Projects that ${siteName} shares with <b>${who.user.email}</b> appear here.
    </p>`;
  }
  return html`<ul class="account-list" role="list">
    ${projects.map(
      ({ name, summary, path }) =>
        html`<li>
          <a class="account-project" href="${path}"
            ><b>${name}</b>${summary ? html`<span class="muted">${summary}</span>` : null}</a
          >
        </li>`,
    )}
  </ul>`;
}

function profileSection({ who: { user } }: Overview): Markup {
  return html`<dl class="account-facts">
      ${
        user.name
          ? html`<div>
              <dt>Name</dt>
              <dd>${user.name}</dd>
            </div>`
          : null
      }
      <div>
        <dt>Email address</dt>
        <dd>${user.email}</dd>
      </div>
    </dl>
    <form method="post" action="/account/signout"><button class="button">Sign out</button></form>`;
}

/** The password section. Users without a password set one with the reset email. */
function password({ who: { user } }: Overview, formError: FormError | null): Markup {
  if (!user.hasPassword) {
    return html`<p>You don’t have a password yet. We’ll email you a link to choose one.</p>
      <form method="post" action="/account/forgot">
        ${hiddenInput("email", user.email)}<button class="button">Email me the link</button>
      </form>`;
  }
  return html`<form class="form" method="post" action="/account/password">
    <input type="email" name="username" value="${user.email}" autocomplete="username" hidden />
    ${passwordField(formError, { name: "current", label: "Current password" })}${newPasswordField(formError, "New password")}
    <div class="actions"><button class="button">Change password</button></div>
  </form>`;
}

function section(id: string, title: string, content: Markup): Markup {
  return html`<section class="rail" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <div>${content}</div>
  </section>`;
}

function unconfirmed(at: Overview): Markup | null {
  if (at.who.user.verified) return null;
  return notice(
    "plain",
    html`<p><b>Confirm your email address</b> to see the projects that are shared with it.</p>
      <form method="post" action="/account/resend">
        ${hiddenInput("email", at.who.user.email)}<button class="button">Email me the link</button>
      </form>`,
  );
}

function backLink({ returnTo }: Overview): Markup | null {
  if (returnTo === null) return null;
  return html`<p>
    <a class="account-link" href="${returnTo}">Back to the page you came from</a>
  </p>`;
}

/** The account page of a signed-in user. `failures` are the errors of the password form. */
export function overviewPage(at: Overview, formError: FormError | null): AccountPage {
  const { user } = at.who;
  const title = user.name ? `Hello ${user.name}` : "Your account";
  return {
    title: titleOf("Your account", formError),
    content: html`${heading(title)}${at.notice}${formErrorNotice(formError)}${unconfirmed(at)}${backLink(at)}
    ${section("for-you", "Shared with you", projectsSection(at))}
    ${section("you", "Profile", profileSection(at))}
    ${section("password-heading", "Password", password(at, formError))}
    ${section("signed-in", "Signed-in devices", sessionList(at))} ${providersSection(at)}
    ${section(
      "data",
      "Your data",
      html`<p>Everything we store about you, as a JSON file.</p>
        <p><a class="button" href="/account/data">Download my data</a></p>
        <p>
          <a class="button danger" href="/account/delete">Delete my account</a>
        </p>`,
    )}`,
  };
}
