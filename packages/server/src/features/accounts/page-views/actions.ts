import { AppError } from "../../../kit/errors.ts";
import {
  type AccountActionsDeps,
  type Action,
  type Asked,
  type Known,
  type Outcome,
  troubleOf,
} from "./action.ts";
import { ownActions } from "./own-actions.ts";
import { strangerActions } from "./stranger-actions.ts";

export interface AccountActions {
  /** What the pages share with the forms. */
  known: Known;
  /**
   * Does what a form asks for; what it can't do for reasons that lie with who asks is a page that
   * says so. Throws `not_found` for a form that is none, and what lies with us.
   */
  submit(name: string, asked: Asked): Promise<Outcome>;
}

function addSurroundings(deps: AccountActionsDeps): Known {
  return {
    ...deps,
    async strangers(returnTo) {
      return { ...(await deps.surroundings()), returnTo, notice: null };
    },
    async overview(who, more = {}) {
      const [surroundings, projects, sessions, linked] = await Promise.all([
        deps.surroundings(),
        deps.projectsFor(who.user),
        deps.accounts.sessions(who),
        deps.linking.linked(who.user.id),
      ]);
      const lists = { projects, sessions, linked };
      return { ...surroundings, ...lists, who, returnTo: null, notice: null, ...more };
    },
  };
}

/** What the forms of the account pages do. They know no HTTP. */
export function makeAccountActions(deps: AccountActionsDeps): AccountActions {
  const known = addSurroundings(deps);
  const actions: Record<string, Action> = { ...strangerActions(known), ...ownActions(known) };
  return {
    known,
    async submit(name, asked) {
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) throw new AppError("not_found", "There is no such form.");
      if (action.signedIn && !asked.who) return { kind: "go", to: "/account" };
      try {
        return await action.act(asked);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        const page = await action.again(asked, troubleOf(error, action.wrong));
        return { kind: "page", page, status: error.status, headers: error.headers ?? {} };
      }
    },
  };
}
