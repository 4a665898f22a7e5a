import type { AppError } from "../../../kit/errors.ts";
import { html } from "../../../kit/html.ts";
import type { AccountPage } from "./page.ts";
import { heading } from "./form-fields.ts";

const messages: Partial<Record<AppError["code"], readonly [string, string]>> = {
  bad_origin: [
    "This came from another site",
    "A form of another site, or of a page that has been open for long, was refused. Nothing has changed.",
  ],
  method_not_allowed: ["This address takes a form", "There is nothing to be read here."],
  too_large: ["This is too much", "What was typed is longer than anything asked for here."],
  unavailable: [
    "Not at the moment",
    "Your account can’t be reached just now. The site itself is not affected; try again in a moment.",
  ],
};

/** What is said where there is no form to say it at. `id` names it in the log. */
export function errorPage(error: AppError, id: string): AccountPage {
  const usual = error.status >= 500 ? "That did not work" : "This can’t be done";
  const [title, text] = messages[error.code] ?? [usual, error.message];
  return {
    title,
    content: html`${heading(title, text)}
      ${
        error.status >= 500
          ? html`<p class="field-note">If you write to the owner about it, name this: ${id}</p>`
          : null
      }
      <div class="actions"><a class="button first" href="/account">Go to your account</a></div>`,
  };
}

/** Leads on to a provider: a form of ours may not lead to another site by itself. */
export function redirectPage(location: string): AccountPage {
  return {
    title: "One moment",
    secret: true,
    redirectTo: location,
    content: html`${heading("One moment", `You are led to ${new URL(location).host}.`)}
      <div class="actions"><a class="button first" href="${location}">Go on</a></div>`,
  };
}
