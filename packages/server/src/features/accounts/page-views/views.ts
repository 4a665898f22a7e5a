import type { FormRequest, ActionContext, Outcome } from "./action.ts";
import { deletePage } from "./delete-page.ts";
import {
  forgotPage,
  expiredLinkNotice,
  resendPage,
  resetPage,
  verifyPage,
} from "./email-link-pages.ts";
import { outcomeNotice, problemNotice } from "./outcomes.ts";
import type { AccountPage } from "./page.ts";
import { addressWithQuery } from "./form-fields.ts";
import { overviewPage } from "./signed-in.ts";
import { otherAccountPage, signInPage, signUpPage } from "./signed-out.ts";
import { invitedPage } from "./signed-out-actions.ts";

/** Shows the page for an address. Never changes or uses up anything. */
export type View = (form: FormRequest) => Promise<Outcome>;

const showPage = (page: AccountPage, status = 200): Outcome => ({ kind: "page", page, status });

/** A query's value, or null. */
const queryValue = ({ values }: FormRequest, name: string): string | null => values[name] || null;

/** The message for a code in the query: a success, or a failure elsewhere. */
const noticeOf = (form: FormRequest) =>
  outcomeNotice(queryValue(form, "done")) ?? problemNotice(queryValue(form, "problem"));

async function invitation(
  context: ActionContext,
  form: FormRequest,
  token: string,
): Promise<Outcome> {
  const { who, returnTo } = form;
  if (!who) {
    const at = await context.signedOutContext(returnTo);
    const { page, good } = await invitedPage(context, at, form.values, null);
    return showPage(page, good ? 200 : 400);
  }
  const invited = await context.accounts.invited(token);
  // The link of the email was opened again.
  if (!invited || invited.email === who.user.email) {
    return { kind: "go", to: returnTo ?? "/account" };
  }
  return showPage(otherAccountPage(who.user.email, invited.email, token));
}

function account(context: ActionContext): View {
  return async (form) => {
    const { who, returnTo } = form;
    const token = queryValue(form, "invite");
    if (token !== null) return invitation(context, form, token);
    const notice = noticeOf(form);
    if (who) return showPage(overviewPage(await context.overview(who, { returnTo, notice }), null));
    return showPage(
      signInPage({ ...(await context.signedOutContext(returnTo)), notice }, {}, null),
    );
  };
}

function newAccount(context: ActionContext): View {
  return async ({ who, returnTo }) => {
    const at = await context.signedOutContext(returnTo);
    if (who || at.signUp === "closed") {
      return { kind: "go", to: addressWithQuery("/account", { return_to: returnTo }) };
    }
    return showPage(signUpPage(at, {}, null));
  };
}

function reset({ accounts }: ActionContext): View {
  return async (form) => {
    const token = queryValue(form, "token");
    if (token === null) return showPage(forgotPage({}, null, noticeOf(form)));
    if (await accounts.canReset(token)) return showPage(resetPage(token, null));
    return showPage({ ...forgotPage({}, null, expiredLinkNotice), secret: true }, 400);
  };
}

async function verify(form: FormRequest): Promise<Outcome> {
  const token = queryValue(form, "token");
  return showPage(token === null ? resendPage({}, null, noticeOf(form)) : verifyPage(token, null));
}

async function remove({ who }: FormRequest): Promise<Outcome> {
  return who ? showPage(deletePage(who, null)) : { kind: "go", to: "/account" };
}

/** The pages by their address. */
export function accountViews(context: ActionContext): Readonly<Record<string, View>> {
  return {
    "/account": account(context),
    "/account/new": newAccount(context),
    "/account/reset": reset(context),
    "/account/verify": verify,
    "/account/delete": remove,
  };
}
