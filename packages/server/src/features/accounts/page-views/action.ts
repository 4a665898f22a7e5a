import { AppError } from "../../../kit/errors.ts";
import type { Accounts, SignedIn, SignedInUser, Visitor } from "../account.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { AccountPage, Overview, PageSettings, FormValues, FormError } from "./page.ts";
import { addressWithQuery } from "./form-fields.ts";
import type { SignedOutContext } from "./signed-out.ts";

/** Linking of accounts at providers. */
export interface Linking {
  linked(userId: number): Promise<Overview["linked"]>;
  /** Starts at a provider: the address to redirect to and the Set-Cookie value to send. */
  start(
    providerId: string,
    how: { returnTo: string; linkUser: SignedInUser },
  ): Promise<{ location: string; cookie: string }>;
  unlink(who: SignedInUser, providerId: string): Promise<unknown>;
}

export interface AccountActionsDependencies {
  accounts: Accounts;
  linking: Linking;
  /** Settings that all pages need, read at each request. */
  pageSettings(): Promise<PageSettings>;
  /** Projects that this user can see but not everybody; null if they can't be read. */
  projectsFor(user: SignedInUser["user"]): Promise<Overview["projects"]>;
}

/** Dependencies of the actions. */
export interface ActionContext extends AccountActionsDependencies {
  signedOutContext(returnTo: string | null): Promise<SignedOutContext>;
  overview(
    who: SignedInUser,
    more?: Partial<Pick<Overview, "returnTo" | "notice">>,
  ): Promise<Overview>;
}

/** A submitted form. */
export interface FormRequest {
  values: FormValues;
  who: SignedInUser | null;
  visitor: Visitor;
  /** The local path to redirect to after success; null for the account page. */
  returnTo: string | null;
  /** An ID from the path: a provider. */
  id: string;
}

/** The result of submitting a form. */
export type Outcome =
  | { kind: "page"; page: AccountPage; status: number; headers?: Record<string, string> }
  | { kind: "go"; to: string; starts?: SignedIn; ends?: true }
  /** To another site, which the target of a form can't redirect to directly. */
  | { kind: "away"; to: string; cookie: string };

export interface Action {
  /** Whether the action needs a signed-in user. */
  signedIn?: true;
  /** The message and field for a wrong password. */
  wrongPassword?: { message: string; field: string; fieldMessage: string };
  act(form: FormRequest): Promise<Outcome>;
  /** The page that shows the form again with its errors. */
  again(form: FormRequest, formError: FormError): Promise<AccountPage>;
}

/** The page that shows the result. */
export const done = (code: OutcomeCode, path = "/account"): string =>
  addressWithQuery(path, { done: code });

export const text = (values: FormValues, name: string): string => values[name] ?? "";

/** Throws `unauthenticated`. */
export function signedInOf({ who }: FormRequest): SignedInUser {
  if (!who) throw new AppError("unauthenticated", "Sign in first.");
  return who;
}

function retryMessage(error: AppError): string {
  const seconds = Number(error.headers?.["retry-after"] ?? 60);
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return `Too many attempts. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}

/** Converts an error to a message for the form. */
export function toFormError(error: AppError, wrong: Action["wrongPassword"]): FormError {
  const { code, message, fields = {} } = error;
  if (code === "throttled") return { message: retryMessage(error), fields: {} };
  if (code === "invalid_credentials" && wrong) {
    return { message: wrong.message, fields: { [wrong.field]: wrong.fieldMessage } };
  }
  if (code === "validation_failed" && Object.keys(fields).length > 0) {
    return { message: "Check the fields marked below.", fields };
  }
  return { message, fields };
}
