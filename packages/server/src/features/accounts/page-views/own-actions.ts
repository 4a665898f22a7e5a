import { AppError } from "../../../kit/errors.ts";
import {
  type Action,
  type FormRequest,
  done,
  type ActionContext,
  signedInOf,
  text,
} from "./action.ts";
import { deletePage } from "./delete-page.ts";
import type { AccountPage, FormError } from "./page.ts";
import { overviewPage } from "./signed-in.ts";

const sessionNotOwned = {
  message: "Nothing has changed yet.",
  fieldMessage: "this isn't your password",
};

function password({ accounts }: ActionContext): Omit<Action, "again"> {
  return {
    wrongPassword: { ...sessionNotOwned, field: "current" },
    async act(form) {
      const { values, visitor } = form;
      const change = { current: text(values, "current"), password: text(values, "password") };
      await accounts.changePassword(signedInOf(form), change, visitor);
      return { kind: "go", to: done("password-changed") };
    },
  };
}

function sessions({ accounts }: ActionContext): Omit<Action, "again"> {
  return {
    async act(form) {
      const others = text(form.values, "others") !== "";
      const which = others ? "others" : { id: text(form.values, "id") };
      await accounts.revokeSession(signedInOf(form), which);
      return { kind: "go", to: done(others ? "others-ended" : "session-ended") };
    },
  };
}

function remove({ accounts }: ActionContext): Action {
  return {
    signedIn: true,
    wrongPassword: { ...sessionNotOwned, field: "password" },
    async act(form) {
      if (text(form.values, "sure") !== "yes") {
        const fields = { sure: "select this to delete your account" };
        throw new AppError("validation_failed", sessionNotOwned.message, { fields });
      }
      const values = { password: text(form.values, "password") };
      await accounts.remove(signedInOf(form), values, form.visitor);
      return { kind: "go", to: done("deleted"), ends: true };
    },
    again: async (form, formError) => deletePage(signedInOf(form), formError),
  };
}

function link({ linking }: ActionContext): Omit<Action, "again"> {
  return {
    async act(form) {
      const how = { returnTo: done("linked"), linkUser: signedInOf(form) };
      const { location, cookie } = await linking.start(form.id, how);
      return { kind: "away", to: location, cookie };
    },
  };
}

function unlink({ linking }: ActionContext): Omit<Action, "again"> {
  return {
    async act(form) {
      await linking.unlink(signedInOf(form), form.id);
      return { kind: "go", to: done("unlinked") };
    },
  };
}

/** Actions of users on their own account. */
export function ownActions(context: ActionContext): Record<string, Action> {
  /** Actions whose forms are on the account page. */
  const onAccount = (action: Omit<Action, "again">): Action => ({
    ...action,
    signedIn: true,
    async again(form: FormRequest, formError: FormError): Promise<AccountPage> {
      return overviewPage(await context.overview(signedInOf(form)), formError);
    },
  });
  return {
    password: onAccount(password(context)),
    sessions: onAccount(sessions(context)),
    link: onAccount(link(context)),
    unlink: onAccount(unlink(context)),
    delete: remove(context),
  };
}
