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

/** Data of a signed-out page: where the visitor was going, and a message to show first. */
export interface SignedOutContext extends PageSettings {
  /** A local path to go to after signing in; null for the account page. */
  returnTo: string | null;
  notice: Markup | null;
}

/** Buttons for signing in with providers. */
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
      <p class="muted">New accounts are by invitation from ${siteName} only.</p>`;
  }
  const note =
    signUp === "invited"
      ? html`<p class="muted">You need an invitation from ${siteName} to create an account.</p>`
      : html`<p class="muted">All you need is an email address and a password.</p>`;
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
    content: html`${heading("Sign in", `Sign in to see what ${at.siteName} shares with you.`)}
      ${at.notice}${formErrorNotice(formError)}
      <div class="account-columns">
        <form class="form" method="post" action="/account/signin">
          ${hiddenInput("return_to", at.returnTo)}${emailField(values["email"], formError)}${passwordField(formError)}
          ${
            formError?.fields["password"]
              ? html`<p class="field-note">
                  New here? Confirm your address with the link we emailed you first.
                  <a href="/account/verify">Send the email again</a>.
                </p>`
              : null
          }
          <div class="actions">
            <button class="button first">Sign in</button>
            <a
              class="account-link"
              href="${addressWithQuery("/account/reset", { return_to: at.returnTo })}"
              >Forgot your password?</a
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
      ? `You need an invitation from ${at.siteName} to create an account. Use the address it was sent to.`
      : `Create an account to see what ${at.siteName} shares with members.`;
  return {
    title: titleOf("Create an account", formError),
    content: html`${heading("Create an account", lead)}${at.notice}${formErrorNotice(formError)}
      <div class="account-columns">
        <form class="form" method="post" action="/account/signup">
          ${hiddenInput("return_to", at.returnTo)}${emailField(values["email"], formError)}${newPasswordField(formError)}${nameField(values["name"], formError)}
          <p class="field-note">
            We’ll email you a link to confirm your address. We use the address only for your
            account.
          </p>
          <div class="actions"><button class="button first">Create account</button></div>
        </form>
        <div class="account-ways">
          ${providerButtons(at)}
          <h2>Already have an account?</h2>
          <p>
            <a class="button" href="${addressWithQuery("/account", { return_to: at.returnTo })}"
              >Sign in</a
            >
          </p>
        </div>
      </div>`,
  };
}

/** Sign-up with an invitation; the invitation's email has confirmed the address. */
export function joinPage(
  at: SignedOutContext,
  invited: { token: string; email: string },
  values: FormValues,
  formError: FormError | null,
): AccountPage {
  return {
    title: titleOf("You’re invited", formError),
    secret: true,
    content: html`${heading("You’re invited", html`${at.siteName} would like to share something with you. Choose a password for <b>${invited.email}</b> to see it.`)}
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
          <div class="actions"><button class="button first">Create account</button></div>
        </form>
        <div class="account-ways">
          ${providerButtons(at)}
          <h2>Have an account with another address?</h2>
          <p class="muted">
            The invitation is for the address it was sent to. Other accounts can’t see what it
            shares.
          </p>
        </div>
      </div>`,
  };
}

/** Shown above the sign-in form to invited visitors who have an account. */
export const invitedNotice = (siteName: string, email: string): Markup =>
  notice(
    "plain",
    html`<p>
      ${siteName} would like to share something with you. Sign in with <b>${email}</b> to see it.
    </p>`,
  );

/** Shown above the sign-in form if the invitation is no longer valid. */
export const invitationExpiredNotice = notice(
  "bad",
  html`<p>
    <b>This invitation no longer works.</b> It was already used or withdrawn, or it has expired. If
    you have an account, sign in. Otherwise, ask the person who invited you for a new invitation.
  </p>`,
);

/** Shown if the signed-in user isn't the one who was invited. */
export function otherAccountPage(signedInAs: string, invited: string, token: string): AccountPage {
  return {
    title: "Wrong account",
    secret: true,
    content: html`${heading("This invitation is for another address")}
      <p>
        You’re signed in as <b>${signedInAs}</b>, but the invitation is for <b>${invited}</b>. Sign
        out to use it.
      </p>
      <form class="form" method="post" action="/account/signout">
        ${hiddenInput("invite", token)}
        <div class="actions">
          <button class="button first">Sign out and continue</button>
          <a class="button" href="/account">Stay signed in</a>
        </div>
      </form>`,
  };
}
