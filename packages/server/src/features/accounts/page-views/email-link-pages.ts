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
 * Asks for the password: a press alone could confirm the account that somebody else began with this
 * address, and programs that read mail open links, too.
 */
export function verifyPage(token: string, formError: FormError | null): AccountPage {
  return {
    title: titleOf("Confirm your address", formError),
    secret: true,
    content: html`${heading("Confirm your address", "With the password that you chose, you are signed in at once. If you did not begin an account here, do nothing: then nobody has one.")}
      ${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/verify">
        ${hiddenInput("token", token)}${passwordField(formError)}
        <div class="actions">
          <button class="button first">Confirm my address</button>
          <a class="account-link" href="/account/reset">Forgotten your password?</a>
        </div>
      </form>`,
  };
}

/** Asks for an address to mail the link of a new account to once more. */
export function resendPage(
  values: FormValues,
  formError: FormError | null,
  above: Markup | null = null,
): AccountPage {
  return {
    title: titleOf("Confirm your address", formError),
    content: html`${heading("Confirm your address", "The link for it comes by mail. Here you can have another one.")}
      ${above}${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/resend">
        ${emailField(values["email"], formError)}
        <div class="actions">
          <button class="button first">Send the mail again</button>
          <a class="account-link" href="/account">Sign in</a>
        </div>
      </form>`,
  };
}

/** Asks for the address whose password is forgotten. */
export function forgotPage(
  values: FormValues,
  formError: FormError | null,
  above: Markup | null = null,
): AccountPage {
  return {
    title: titleOf("Forgotten your password?", formError),
    content: html`${heading("Forgotten your password?", "A link to choose another one comes by mail.")}
      ${above}${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/forgot">
        ${emailField(values["email"], formError)}
        <div class="actions">
          <button class="button first">Send me the link</button>
          <a class="account-link" href="/account">Sign in</a>
        </div>
      </form>`,
  };
}

export function resetPage(token: string, formError: FormError | null): AccountPage {
  return {
    title: titleOf("Choose a new password", formError),
    secret: true,
    content: html`${heading("Choose a new password", "It counts from then on; whoever is signed in with the old one is signed out.")}
      ${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/reset">
        ${hiddenInput("token", token)}${newPasswordField(formError, "New password")}
        <div class="actions"><button class="button first">Set the password</button></div>
      </form>`,
  };
}

/** What is said where the link of an email is not good. */
export const expiredLinkNotice = notice(
  "bad",
  html`<p>
    <b>This link does not work any more.</b> Each works once, for a limited time, and a newer one
    takes the place of an older one. You can have another here.
  </p>`,
);
