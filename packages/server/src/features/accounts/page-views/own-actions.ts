import { AppError } from "../../../kit/errors.ts";
import { type Action, type Asked, done, type Known, signedInOf, text } from "./action.ts";
import { deletePage } from "./delete-page.ts";
import type { AccountPage, Trouble } from "./page.ts";
import { overviewPage } from "./signed-in.ts";

const notYours = { message: "Nothing has changed yet.", says: "this is not your password" };

function password({ accounts }: Known): Omit<Action, "again"> {
  return {
    wrong: { ...notYours, field: "current" },
    async act(asked) {
      const { said, visitor } = asked;
      const change = { current: text(said, "current"), password: text(said, "password") };
      await accounts.changePassword(signedInOf(asked), change, visitor);
      return { kind: "go", to: done("password-changed") };
    },
  };
}

function sessions({ accounts }: Known): Omit<Action, "again"> {
  return {
    async act(asked) {
      const others = text(asked.said, "others") !== "";
      const which = others ? "others" : { id: text(asked.said, "id") };
      await accounts.revokeSession(signedInOf(asked), which);
      return { kind: "go", to: done(others ? "others-ended" : "session-ended") };
    },
  };
}

function remove({ accounts }: Known): Action {
  return {
    signedIn: true,
    wrong: { ...notYours, field: "password" },
    async act(asked) {
      if (text(asked.said, "sure") !== "yes") {
        const fields = { sure: "tick this if you mean it" };
        throw new AppError("validation_failed", notYours.message, { fields });
      }
      const said = { password: text(asked.said, "password") };
      await accounts.remove(signedInOf(asked), said, asked.visitor);
      return { kind: "go", to: done("deleted"), ends: true };
    },
    again: async (asked, trouble) => deletePage(signedInOf(asked), trouble),
  };
}

function link({ linking }: Known): Omit<Action, "again"> {
  return {
    async act(asked) {
      const how = { returnTo: done("linked"), linkUser: signedInOf(asked) };
      const { location, cookie } = await linking.begin(asked.id, how);
      return { kind: "away", to: location, cookie };
    },
  };
}

function unlink({ linking }: Known): Omit<Action, "again"> {
  return {
    async act(asked) {
      await linking.unlink(signedInOf(asked), asked.id);
      return { kind: "go", to: done("unlinked") };
    },
  };
}

/** What somebody can do with their own account. */
export function ownActions(known: Known): Record<string, Action> {
  /** Their forms stand on the account's own page. */
  const onAccount = (action: Omit<Action, "again">): Action => ({
    ...action,
    signedIn: true,
    async again(asked: Asked, trouble: Trouble): Promise<AccountPage> {
      return overviewPage(await known.overview(signedInOf(asked)), trouble);
    },
  });
  return {
    password: onAccount(password(known)),
    sessions: onAccount(sessions(known)),
    link: onAccount(link(known)),
    unlink: onAccount(unlink(known)),
    delete: remove(known),
  };
}
