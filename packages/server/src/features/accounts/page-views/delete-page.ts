import { html } from "../../../kit/html.ts";
import type { SignedInUser } from "../account.ts";
import type { AccountPage, FormError } from "./page.ts";
import { heading, passwordField, formErrorNotice, sentence, titleOf } from "./form-fields.ts";

const freshNote = html`<p class="field-note">
  You don’t have a password, so you can do this only within ten minutes of signing in. After that,
  sign out and sign in again first.
</p>`;

/** Asks for confirmation before an account is deleted permanently. */
export function deletePage(who: SignedInUser, formError: FormError | null): AccountPage {
  const check = formError?.fields["sure"];
  return {
    title: titleOf("Delete my account", formError),
    content: html`${heading("Delete my account", html`This permanently deletes the account <b>${who.user.email}</b> with its sessions, linked providers, and the address in visits and ended invitations. It can’t be undone. Invitations that haven’t been revoked and messages that you sent stay: ask the owner of this site to delete them.`)}
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
            <span>Yes, permanently delete my account</span></label
          >
          ${check ? html`<p class="field-error" id="sure-error">${sentence(check)}</p>` : null}
        </div>
        <div class="actions">
          <button class="button danger">Delete my account</button>
          <a class="button" href="/account">Keep my account</a>
        </div>
      </form>`,
  };
}
