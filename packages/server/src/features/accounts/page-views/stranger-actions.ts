import type { SignedIn } from "../account.ts";
import { type Action, type Asked, done, type Known, type Outcome, text } from "./action.ts";
import { forgotPage, linkGone, resendPage, resetPage, verifyPage } from "./mailed-links.ts";
import type { AccountPage, Said, Trouble } from "./page.ts";
import { address } from "./parts.ts";
import {
  invitationGone,
  invitedNotice,
  joinPage,
  signInPage,
  type Strangers,
  signUpPage,
} from "./signed-out.ts";

/** A session that the browser came with ends, whoever planted it. */
async function start(known: Known, asked: Asked, starts: SignedIn, to: string): Promise<Outcome> {
  if (asked.who) await known.accounts.signOut(asked.who.session);
  return { kind: "go", to: asked.returnTo ?? to, starts };
}

function signIn(known: Known): Action {
  return {
    wrong: {
      message: "You are not signed in.",
      field: "password",
      says: "the address or the password is wrong, or the address is not confirmed yet",
    },
    async act(asked) {
      const [email, password] = [text(asked.said, "email"), text(asked.said, "password")];
      const starts = await known.accounts.signIn({ email, password }, asked.visitor);
      return start(known, asked, starts, "/account");
    },
    again: async ({ said, returnTo }, trouble) =>
      signInPage(await known.strangers(returnTo), said, trouble),
  };
}

function signOut(known: Known): Action {
  return {
    async act({ who, said }) {
      if (who) await known.accounts.signOut(who.session);
      const invite = text(said, "invite");
      const to = invite === "" ? done("signed-out") : address("/account", { invite });
      return { kind: "go", to, ends: true };
    },
    again: async ({ said, returnTo }) => signInPage(await known.strangers(returnTo), said, null),
  };
}

function signUp(known: Known): Action {
  return {
    async act({ said, visitor }) {
      const [email, password] = [text(said, "email"), text(said, "password")];
      await known.accounts.signUp({ email, password, name: text(said, "name") }, visitor);
      return { kind: "go", to: done("mail-sent") };
    },
    again: async ({ said, returnTo }, trouble) =>
      signUpPage(await known.strangers(returnTo), said, trouble),
  };
}

/** What an invitation's token leads to at this moment: a new account, the sign-in, or words. */
export async function invitedPage(
  { accounts }: Known,
  at: Strangers,
  said: Said,
  trouble: Trouble | null,
): Promise<{ page: AccountPage; good: boolean }> {
  const token = text(said, "invite");
  const invited = await accounts.invited(token);
  if (!invited) {
    const page = signInPage({ ...at, notice: invitationGone }, {}, null);
    return { page: { ...page, secret: true }, good: false };
  }
  const { email } = invited;
  if (!invited.known) return { page: joinPage(at, { token, email }, said, trouble), good: true };
  const notice = invitedNotice(at.siteName, email);
  return { page: { ...signInPage({ ...at, notice }, { email }, null), secret: true }, good: true };
}

function join(known: Known): Action {
  return {
    async act(asked) {
      const { said, visitor } = asked;
      const [token, password] = [text(said, "invite"), text(said, "password")];
      const account = { token, password, name: text(said, "name") };
      const starts = await known.accounts.signUpInvited(account, visitor);
      return start(known, asked, starts, done("welcome"));
    },
    async again({ said, returnTo }, trouble) {
      return (await invitedPage(known, await known.strangers(returnTo), said, trouble)).page;
    },
  };
}

function verify(known: Known): Action {
  const { accounts } = known;
  return {
    wrong: {
      message: "Your address is not confirmed yet.",
      field: "password",
      says: "the account was not begun with this password",
    },
    async act(asked) {
      const [token, password] = [text(asked.said, "token"), text(asked.said, "password")];
      const starts = await accounts.confirm({ token, password }, asked.visitor);
      return start(known, asked, starts, done("confirmed"));
    },
    async again({ said }, trouble) {
      const token = text(said, "token");
      const good = await accounts.canConfirm(token);
      return good ? verifyPage(token, trouble) : resendPage({}, null, linkGone);
    },
  };
}

function mailedLinks({ accounts }: Known): Record<"resend" | "forgot" | "reset", Action> {
  return {
    resend: {
      async act({ said, visitor }) {
        await accounts.resend({ email: text(said, "email") }, visitor);
        return { kind: "go", to: done("mail-sent") };
      },
      again: async ({ said }, trouble) => resendPage(said, trouble),
    },
    forgot: {
      async act({ said, visitor }) {
        await accounts.forgot({ email: text(said, "email") }, visitor);
        return { kind: "go", to: done("link-sent", "/account/reset") };
      },
      again: async ({ said }, trouble) => forgotPage(said, trouble),
    },
    reset: {
      async act({ said }) {
        await accounts.reset({ token: text(said, "token"), password: text(said, "password") });
        return { kind: "go", to: done("password-set") };
      },
      async again({ said }, trouble) {
        const token = text(said, "token");
        const good = await accounts.canReset(token);
        return good ? resetPage(token, trouble) : forgotPage({}, null, linkGone);
      },
    },
  };
}

/** What anybody can do: begin an account, sign in, and what links in mails lead to. */
export function strangerActions(known: Known): Record<string, Action> {
  return {
    signin: signIn(known),
    signout: signOut(known),
    signup: signUp(known),
    verify: verify(known),
    join: join(known),
    ...mailedLinks(known),
  };
}
