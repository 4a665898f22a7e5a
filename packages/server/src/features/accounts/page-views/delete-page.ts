import { html } from "../../../kit/html.ts";
import type { SignedInUser } from "../account.ts";
import type { AccountPage, Trouble } from "./page.ts";
import { heading, passwordField, sayTrouble, sentence, titleOf } from "./parts.ts";

const freshNote = html`<p class="field-note">
  You have no password here, so this works within ten minutes of signing in. After that, sign out
  and in again first.
</p>`;

/** Asks once more before an account is deleted for good. */
export function deletePage(who: SignedInUser, trouble: Trouble | null): AccountPage {
  const check = trouble?.fields["sure"];
  return {
    title: titleOf("Delete my account", trouble),
    content: html`${heading("Delete my account", html`The account of <b>${who.user.email}</b>, with all that is kept about it, goes for good. There is no way back.`)}
      ${sayTrouble(trouble)}
      <form class="form" method="post" action="/account/delete">
        <input
          type="email"
          name="username"
          value="${who.user.email}"
          autocomplete="username"
          hidden
        />
        ${who.user.hasPassword ? passwordField(trouble) : freshNote}
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
