import { html, type Markup } from "../../../kit/html.ts";
import type { AccountPage, FormValues, FormError } from "./page.ts";
import {
  emailField,
  heading,
  hiddenInput,
  newPasswordField,
  notice,
  passwordField,
  formErrorNotice,
  titleOf,
} from "./form-fields.ts";

/**
 * Asks for the password: with a button alone, people could confirm an account that somebody else
 * created with their address, and email scanners open links, too.
 */
export function verifyPage(token: string, formError: FormError | null): AccountPage {
  return {
    title: titleOf("Confirm your address", formError),
    secret: true,
    content: html`${heading("Confirm your address", "Enter the password you chose to confirm your address and sign in. If you didn’t create an account here, you can ignore the email.")}
      ${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/verify">
        ${hiddenInput("token", token)}${passwordField(formError)}
        <div class="actions">
          <button class="button first">Confirm my address</button>
          <a class="account-link" href="/account/reset">Forgot your password?</a>
        </div>
      </form>`,
  };
}

/** Asks for the address to send a new confirmation link to. */
export function resendPage(
  values: FormValues,
  formError: FormError | null,
  above: Markup | null = null,
): AccountPage {
  return {
    title: titleOf("Confirm your address", formError),
    content: html`${heading("Confirm your address", "We’ll email you a new link to confirm your address.")}
      ${above}${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/resend">
        ${emailField(values["email"], formError)}
        <div class="actions">
          <button class="button first">Send the email again</button>
          <a class="account-link" href="/account">Sign in</a>
        </div>
      </form>`,
  };
}

/** Asks for the address of the account whose password was forgotten. */
export function forgotPage(
  values: FormValues,
  formError: FormError | null,
  above: Markup | null = null,
): AccountPage {
  return {
    title: titleOf("Forgot your password?", formError),
    content: html`${heading("Forgot your password?", "We’ll email you a link to choose a new one.")}
      ${above}${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/forgot">
        ${emailField(values["email"], formError)}
        <div class="actions">
          <button class="button first">Email me the link</button>
          <a class="account-link" href="/account">Sign in</a>
        </div>
      </form>`,
  };
}

export function resetPage(token: string, formError: FormError | null): AccountPage {
  return {
    title: titleOf("Choose a new password", formError),
    secret: true,
    content: html`${heading("Choose a new password", "You’ll be signed out on all devices that use the old one.")}
      ${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/reset">
        ${hiddenInput("token", token)}${newPasswordField(formError, "New password")}
        <div class="actions"><button class="button first">Set password</button></div>
      </form>`,
  };
}

/** Shown when the link of an email is no longer valid. */
export const expiredLinkNotice = notice(
  "bad",
  html`<p>
    <b>This link no longer works.</b> Each link works once and for a limited time, and a newer one
    replaces it. You can request another one here.
  </p>`,
);
