import type { AppError } from "../../../kit/errors.ts";
import { html } from "../../../kit/html.ts";
import type { AccountPage } from "./page.ts";
import { heading } from "./form-fields.ts";

const messages: Partial<Record<AppError["code"], readonly [string, string]>> = {
  bad_origin: [
    "This form came from another site",
    "We couldn’t accept a form from another site, or from a page that was open for too long. Nothing has changed. Go to your account and try again.",
  ],
  method_not_allowed: [
    "Page not found",
    "This address only receives forms. Go to your account instead.",
  ],
  too_large: [
    "Request too large",
    "Your answers are longer than this form allows. Shorten them and try again.",
  ],
  unavailable: [
    "Accounts are unavailable",
    "Your account can’t be reached right now. The rest of the site works. Try again in a moment.",
  ],
};

/** An error page for errors without a form. `id` identifies the error in the log. */
export function errorPage(error: AppError, id: string): AccountPage {
  const usual = error.status >= 500 ? "Something went wrong" : "This isn’t possible";
  const [title, text] = messages[error.code] ?? [usual, error.message];
  return {
    title,
    content: html`${heading(title, text)}
      ${
        error.status >= 500
          ? html`<p class="field-note">
              If you contact the site’s owner about this, mention ${id}.
            </p>`
          : null
      }
      <div class="actions"><a class="button first" href="/account">Go to your account</a></div>`,
  };
}

/** A page that leads to a provider, because a form can't redirect to another site directly. */
export function redirectPage(location: string): AccountPage {
  return {
    title: "One moment",
    secret: true,
    redirectTo: location,
    content: html`${heading("One moment", `Taking you to ${new URL(location).host}.`)}
      <div class="actions"><a class="button first" href="${location}">Continue</a></div>`,
  };
}
