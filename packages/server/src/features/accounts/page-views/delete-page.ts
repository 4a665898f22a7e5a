import { html } from "../../../kit/html.ts";
import type { SignedInUser } from "../account.ts";
import type { AccountPage, FormError } from "./page.ts";
import { heading, passwordField, formErrorNotice, sentence, titleOf } from "./form-fields.ts";

const freshNote = html`<p class="field-note">
  You have no password here, so this works within ten minutes of signing in. After that, sign out
  and in again first.
</p>`;

/** Asks once more before an account is deleted for good. */
export function deletePage(who: SignedInUser, formError: FormError | null): AccountPage {
  const check = formError?.fields["sure"];
  return {
    title: titleOf("Delete my account", formError),
    content: html`${heading("Delete my account", html`The account of <b>${who.user.email}</b>, with all that is kept about it, goes for good. There is no way back.`)}
      ${formErrorNotice(formError)}
      <form class="form" method="post" action="/account/delete">
        <input
          type="email"
          name="username"
          value="${who.user.email}"
          autocomplete="username"
          hidden
        />
        ${who.user.hasPassword ? passwordField(formError) : freshNote}
        <div class="field">
          <label class="check"
            ><input
              type="checkbox"
              name="sure"
              value="yes"
              required
              ${check ? html`aria-invalid="true" aria-describedby="sure-error"` : null}
            />
            <span>Yes, delete my account for good</span></label
          >
          ${check ? html`<p class="field-error" id="sure-error">${sentence(check)}</p>` : null}
        </div>
        <div class="actions">
          <button class="button danger">Delete my account</button>
          <a class="button" href="/account">Keep it</a>
        </div>
      </form>`,
  };
}
