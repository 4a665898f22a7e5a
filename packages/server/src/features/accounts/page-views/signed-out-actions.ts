import type { SignedIn } from "../account.ts";
import {
  type Action,
  type FormRequest,
  done,
  type ActionContext,
  type Outcome,
  text,
} from "./action.ts";
import {
  forgotPage,
  expiredLinkNotice,
  resendPage,
  resetPage,
  verifyPage,
} from "./email-link-pages.ts";
import type { AccountPage, FormValues, FormError } from "./page.ts";
import { addressWithQuery } from "./form-fields.ts";
import {
  invitationExpiredNotice,
  invitedNotice,
  joinPage,
  signInPage,
  type SignedOutContext,
  signUpPage,
} from "./signed-out.ts";

/** Starts a session and ends the one that the browser sent, whoever planted it. */
async function start(
  context: ActionContext,
  form: FormRequest,
  starts: SignedIn,
  to: string,
): Promise<Outcome> {
  if (form.who) await context.accounts.signOut(form.who.session);
  return { kind: "go", to: form.returnTo ?? to, starts };
}

function signIn(context: ActionContext): Action {
  return {
    wrongPassword: {
      message: "You’re not signed in.",
      field: "password",
      fieldMessage: "the email address or password is wrong, or the address isn't confirmed yet",
    },
    async act(form) {
      const [email, password] = [text(form.values, "email"), text(form.values, "password")];
      const starts = await context.accounts.signIn({ email, password }, form.visitor);
      return start(context, form, starts, "/account");
    },
    again: async ({ values, returnTo }, formError) =>
      signInPage(await context.signedOutContext(returnTo), values, formError),
  };
}

function signOut(context: ActionContext): Action {
  return {
    async act({ who, values }) {
      if (who) await context.accounts.signOut(who.session);
      const invite = text(values, "invite");
      const to = invite === "" ? done("signed-out") : addressWithQuery("/account", { invite });
      return { kind: "go", to, ends: true };
    },
    again: async ({ values, returnTo }) =>
      signInPage(await context.signedOutContext(returnTo), values, null),
  };
}

function signUp(context: ActionContext): Action {
  return {
    async act({ values, visitor }) {
      const [email, password] = [text(values, "email"), text(values, "password")];
      await context.accounts.signUp({ email, password, name: text(values, "name") }, visitor);
      return { kind: "go", to: done("mail-sent") };
    },
    again: async ({ values, returnTo }, formError) =>
      signUpPage(await context.signedOutContext(returnTo), values, formError),
  };
}

/** The page an invitation's token leads to: a new account, the sign-in, or an explanation. */
export async function invitedPage(
  { accounts }: ActionContext,
  at: SignedOutContext,
  values: FormValues,
  formError: FormError | null,
): Promise<{ page: AccountPage; good: boolean }> {
  const token = text(values, "invite");
  const invited = await accounts.invited(token);
  if (!invited) {
    const page = signInPage({ ...at, notice: invitationExpiredNotice }, {}, null);
    return { page: { ...page, secret: true }, good: false };
  }
  const { email } = invited;
  if (!invited.hasAccount)
    return { page: joinPage(at, { token, email }, values, formError), good: true };
  const notice = invitedNotice(at.siteName, email);
  return { page: { ...signInPage({ ...at, notice }, { email }, null), secret: true }, good: true };
}

function join(context: ActionContext): Action {
  return {
    async act(form) {
      const { values, visitor } = form;
      const [token, password] = [text(values, "invite"), text(values, "password")];
      const account = { token, password, name: text(values, "name") };
      const starts = await context.accounts.signUpInvited(account, visitor);
      return start(context, form, starts, done("welcome"));
    },
    async again({ values, returnTo }, formError) {
      return (
        await invitedPage(context, await context.signedOutContext(returnTo), values, formError)
      ).page;
    },
  };
}

function verify(context: ActionContext): Action {
  const { accounts } = context;
  return {
    wrongPassword: {
      message: "Your address isn't confirmed yet.",
      field: "password",
      fieldMessage: "this isn't the password the account was created with",
    },
    async act(form) {
      const [token, password] = [text(form.values, "token"), text(form.values, "password")];
      const starts = await accounts.confirm({ token, password }, form.visitor);
      return start(context, form, starts, done("confirmed"));
    },
    async again({ values }, formError) {
      const token = text(values, "token");
      const good = await accounts.canConfirm(token);
      return good ? verifyPage(token, formError) : resendPage({}, null, expiredLinkNotice);
    },
  };
}

function emailLinkActions({
  accounts,
}: ActionContext): Record<"resend" | "forgot" | "reset", Action> {
  return {
    resend: {
      async act({ values, visitor }) {
        await accounts.resend({ email: text(values, "email") }, visitor);
        return { kind: "go", to: done("mail-sent") };
      },
      again: async ({ values }, formError) => resendPage(values, formError),
    },
    forgot: {
      async act({ values, visitor }) {
        await accounts.forgot({ email: text(values, "email") }, visitor);
        return { kind: "go", to: done("link-sent", "/account/reset") };
      },
      again: async ({ values }, formError) => forgotPage(values, formError),
    },
    reset: {
      async act({ values }) {
        await accounts.reset({ token: text(values, "token"), password: text(values, "password") });
        return { kind: "go", to: done("password-set") };
      },
      async again({ values }, formError) {
        const token = text(values, "token");
        const good = await accounts.canReset(token);
        return good ? resetPage(token, formError) : forgotPage({}, null, expiredLinkNotice);
      },
    },
  };
}

/** Actions that need no sign-in: creating an account, signing in, and using links from emails. */
export function signedOutActions(context: ActionContext): Record<string, Action> {
  return {
    signin: signIn(context),
    signout: signOut(context),
    signup: signUp(context),
    verify: verify(context),
    join: join(context),
    ...emailLinkActions(context),
  };
}
