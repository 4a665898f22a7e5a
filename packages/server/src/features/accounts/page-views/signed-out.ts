import { html, type Markup } from "../../../kit/html.ts";
import type { AccountPage, PageSettings, FormValues, FormError } from "./page.ts";
import {
  addressWithQuery,
  emailField,
  heading,
  hiddenInput,
  nameField,
  newPasswordField,
  notice,
  passwordField,
  formErrorNotice,
  titleOf,
} from "./form-fields.ts";

/** Of a page for strangers: where they were headed, and what is to be said first. */
export interface SignedOutContext extends PageSettings {
  /** A local path to go to after signing in; null for the account itself. */
  returnTo: string | null;
  notice: Markup | null;
}

/** Buttons that lead to other places to sign in at. */
function providerButtons({ providers, returnTo }: SignedOutContext): Markup | null {
  if (providers.length === 0) return null;
  return html`<h2>Without a password</h2>
    <ul role="list">
      ${providers.map(
        ({ id, name }) =>
          html`<li>
            <a
              class="button"
              href="${addressWithQuery(`/api/account/oauth/${id}`, { return_to: returnTo })}"
              rel="nofollow"
              >Continue with ${name}</a
            >
          </li>`,
      )}
    </ul>`;
}

function signUpLink({ signUp, returnTo, siteName }: SignedOutContext): Markup {
  if (signUp === "closed") {
    return html`<h2>No account yet?</h2>
      <p class="muted">
        There are no new accounts at the moment, other than for whom ${siteName} invites.
      </p>`;
  }
  const note =
    signUp === "invited"
      ? html`<p class="muted">Accounts are for whom ${siteName} has invited by mail.</p>`
      : html`<p class="muted">An address and a password are all that it takes.</p>`;
  return html`<h2>No account yet?</h2>
    ${note}
    <p>
      <a class="button" href="${addressWithQuery("/account/new", { return_to: returnTo })}"
        >Create an account</a
      >
    </p>`;
}

export function signInPage(
  at: SignedOutContext,
  values: FormValues,
  formError: FormError | null,
): AccountPage {
  return {
    title: titleOf("Sign in", formError),
    content: html`${heading("Sign in", `To see what ${at.siteName} shows to you and not to everybody.`)}
      ${at.notice}${formErrorNotice(formError)}
      <div class="account-columns">
        <form class="form" method="post" action="/account/signin">
          ${hiddenInput("return_to", at.returnTo)}${emailField(values["email"], formError)}${passwordField(formError)}
          ${
            formError?.fields["password"]
              ? html`<p class="field-note">
                  A new account’s address is confirmed by a link in a mail. Did none come?
                  <a href="/account/verify">Have it sent again</a>.
                </p>`
              : null
          }
          <div class="actions">
            <button class="button first">Sign in</button>
            <a
              class="account-link"
              href="${addressWithQuery("/account/reset", { return_to: at.returnTo })}"
              >Forgotten your password?</a
            >
          </div>
        </form>
        <div class="account-ways">${providerButtons(at)}${signUpLink(at)}</div>
      </div>`,
  };
}

export function signUpPage(
  at: SignedOutContext,
  values: FormValues,
  formError: FormError | null,
): AccountPage {
  const lead =
    at.signUp === "invited"
      ? `Accounts are for whom ${at.siteName} has invited. Use the address that the invitation came to.`
      : `To see what ${at.siteName} shows to people with an account.`;
  return {
    title: titleOf("Create an account", formError),
    content: html`${heading("Create an account", lead)}${at.notice}${formErrorNotice(formError)}
      <div class="account-columns">
        <form class="form" method="post" action="/account/signup">
          ${hiddenInput("return_to", at.returnTo)}${emailField(values["email"], formError)}${newPasswordField(formError)}${nameField(values["name"], formError)}
          <p class="field-note">
            A mail comes to the address, with a link that confirms it. Your address is used for
            nothing else than your account.
          </p>
          <div class="actions"><button class="button first">Create the account</button></div>
        </form>
        <div class="account-ways">
          ${providerButtons(at)}
          <h2>Have an account?</h2>
          <p>
            <a class="button" href="${addressWithQuery("/account", { return_to: at.returnTo })}"
              >Sign in</a
            >
          </p>
        </div>
      </div>`,
  };
}

/** Somebody invited, who has no account yet: their address is known and confirmed by the email. */
export function joinPage(
  at: SignedOutContext,
  invited: { token: string; email: string },
  values: FormValues,
  formError: FormError | null,
): AccountPage {
  return {
    title: titleOf("You are invited", formError),
    secret: true,
    content: html`${heading("You are invited", html`${at.siteName} wants to show you something. Choose a password for <b>${invited.email}</b>, and you are in.`)}
      ${at.notice}${formErrorNotice(formError)}
      <div class="account-columns">
        <form class="form" method="post" action="/account/join">
          ${hiddenInput("invite", invited.token)}${hiddenInput("return_to", at.returnTo)}
          <input
            type="email"
            name="username"
            value="${invited.email}"
            autocomplete="username"
            hidden
          />
          ${newPasswordField(formError)}${nameField(values["name"], formError)}
          <div class="actions"><button class="button first">Create the account</button></div>
        </form>
        <div class="account-ways">
          ${providerButtons(at)}
          <h2>Have an account with another address?</h2>
          <p class="muted">
            What is for you is for the address that the mail came to; other accounts do not see it.
          </p>
        </div>
      </div>`,
  };
}

/** What is above the sign-in of somebody invited who has an account. */
export const invitedNotice = (siteName: string, email: string): Markup =>
  notice(
    "plain",
    html`<p>
      ${siteName} wants to show you something. Sign in with <b>${email}</b>: that address has an
      account.
    </p>`,
  );

/** What is above the sign-in of somebody whose invitation is not good any more. */
export const invitationExpiredNotice = notice(
  "bad",
  html`<p>
    <b>This invitation does not work any more.</b> It has been used, taken back or is too old. If
    you have an account, sign in; else ask whoever invited you for another mail.
  </p>`,
);

/** Signed in as somebody else than the one whom an invitation is for. */
export function otherAccountPage(signedInAs: string, invited: string, token: string): AccountPage {
  return {
    title: "Another account",
    secret: true,
    content: html`${heading("This is for another address")}
      <p>
        You are signed in as <b>${signedInAs}</b>. The invitation is for <b>${invited}</b>. Sign out
        first to go on with it.
      </p>
      <form class="form" method="post" action="/account/signout">
        ${hiddenInput("invite", token)}
        <div class="actions">
          <button class="button first">Sign out and go on</button>
          <a class="button" href="/account">Stay signed in</a>
        </div>
      </form>`,
  };
}
