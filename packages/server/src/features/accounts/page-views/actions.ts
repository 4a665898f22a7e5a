import { AppError } from "../../../kit/errors.ts";
import {
  type AccountActionsDependencies,
  type Action,
  type FormRequest,
  type ActionContext,
  type Outcome,
  toFormError,
} from "./action.ts";
import { ownActions } from "./own-actions.ts";
import { signedOutActions } from "./signed-out-actions.ts";

export interface AccountActions {
  /** Dependencies shared with the pages. */
  context: ActionContext;
  /**
   * Performs a form's action. Errors that the user can correct are shown on the page. Throws
   * `not_found` for an unknown form, and all other errors.
   */
  submit(name: string, form: FormRequest): Promise<Outcome>;
}

function addPageSettings(deps: AccountActionsDependencies): ActionContext {
  return {
    ...deps,
    async signedOutContext(returnTo) {
      return { ...(await deps.pageSettings()), returnTo, notice: null };
    },
    async overview(who, more = {}) {
      const [pageSettings, projects, sessions, linked] = await Promise.all([
        deps.pageSettings(),
        deps.projectsFor(who.user),
        deps.accounts.sessions(who),
        deps.linking.linked(who.user.id),
      ]);
      const lists = { projects, sessions, linked };
      return { ...pageSettings, ...lists, who, returnTo: null, notice: null, ...more };
    },
  };
}

/** The actions of the account forms, independent of HTTP. */
export function makeAccountActions(deps: AccountActionsDependencies): AccountActions {
  const context = addPageSettings(deps);
  const actions: Record<string, Action> = { ...signedOutActions(context), ...ownActions(context) };
  return {
    context,
    async submit(name, form) {
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action) throw new AppError("not_found", "This form doesn't exist.");
      if (action.signedIn && !form.who) return { kind: "go", to: "/account" };
      try {
        return await action.act(form);
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        const page = await action.again(form, toFormError(error, action.wrongPassword));
        return { kind: "page", page, status: error.status, headers: error.headers ?? {} };
      }
    },
  };
}
