import type { Asked, Known, Outcome } from "./action.ts";
import { deletePage } from "./delete-page.ts";
import { forgotPage, linkGone, resendPage, resetPage, verifyPage } from "./mailed-links.ts";
import { outcomeNotice, problemNotice } from "./outcomes.ts";
import type { AccountPage } from "./page.ts";
import { address } from "./parts.ts";
import { overviewPage } from "./signed-in.ts";
import { otherAccountPage, signInPage, signUpPage } from "./signed-out.ts";
import { invitedPage } from "./stranger-actions.ts";

/** Shows what an address asks for; `said` is its query. Nothing is changed or used up by it. */
export type View = (asked: Asked) => Promise<Outcome>;

const shown = (page: AccountPage, status = 200): Outcome => ({ kind: "page", page, status });

/** A query's value, or null. */
const given = ({ said }: Asked, name: string): string | null => said[name] || null;

/** A code for what has gone well, or for what has gone wrong elsewhere. */
const noticeOf = (asked: Asked) =>
  outcomeNotice(given(asked, "done")) ?? problemNotice(given(asked, "problem"));

async function invitation(known: Known, asked: Asked, token: string): Promise<Outcome> {
  const { who, returnTo } = asked;
  if (!who) {
    const at = await known.strangers(returnTo);
    const { page, good } = await invitedPage(known, at, asked.said, null);
    return shown(page, good ? 200 : 400);
  }
  const invited = await known.accounts.invited(token);
  // Whoever opens the mail once more is simply there.
  if (!invited || invited.email === who.user.email) {
    return { kind: "go", to: returnTo ?? "/account" };
  }
  return shown(otherAccountPage(who.user.email, invited.email, token));
}

function account(known: Known): View {
  return async (asked) => {
    const { who, returnTo } = asked;
    const token = given(asked, "invite");
    if (token !== null) return invitation(known, asked, token);
    const notice = noticeOf(asked);
    if (who) return shown(overviewPage(await known.overview(who, { returnTo, notice }), null));
    return shown(signInPage({ ...(await known.strangers(returnTo)), notice }, {}, null));
  };
}

function newAccount(known: Known): View {
  return async ({ who, returnTo }) => {
    const at = await known.strangers(returnTo);
    if (who || at.signUp === "closed") {
      return { kind: "go", to: address("/account", { return_to: returnTo }) };
    }
    return shown(signUpPage(at, {}, null));
  };
}

function reset({ accounts }: Known): View {
  return async (asked) => {
    const token = given(asked, "token");
    if (token === null) return shown(forgotPage({}, null, noticeOf(asked)));
    if (await accounts.canReset(token)) return shown(resetPage(token, null));
    return shown({ ...forgotPage({}, null, linkGone), secret: true }, 400);
  };
}

async function verify(asked: Asked): Promise<Outcome> {
  const token = given(asked, "token");
  return shown(token === null ? resendPage({}, null, noticeOf(asked)) : verifyPage(token, null));
}

async function remove({ who }: Asked): Promise<Outcome> {
  return who ? shown(deletePage(who, null)) : { kind: "go", to: "/account" };
}

/** What can be looked at, by its address. */
export function accountViews(known: Known): Readonly<Record<string, View>> {
  return {
    "/account": account(known),
    "/account/new": newAccount(known),
    "/account/reset": reset(known),
    "/account/verify": verify,
    "/account/delete": remove,
  };
}
