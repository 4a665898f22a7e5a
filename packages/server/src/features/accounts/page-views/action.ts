import { AppError } from "../../../kit/errors.ts";
import type { Accounts, SignedIn, SignedInUser, Visitor } from "../account.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { AccountPage, Overview, PageSettings, FormValues, FormError } from "./page.ts";
import { addressWithQuery } from "./form-fields.ts";
import type { SignedOutContext } from "./signed-out.ts";

/** Accounts elsewhere that a user has linked. */
export interface Linking {
  linked(userId: number): Promise<Overview["linked"]>;
  /** Begins at a provider: where the browser goes, and the Set-Cookie value that comes along. */
  start(
    providerId: string,
    how: { returnTo: string; linkUser: SignedInUser },
  ): Promise<{ location: string; cookie: string }>;
  unlink(who: SignedInUser, providerId: string): Promise<unknown>;
}

export interface AccountActionsDependencies {
  accounts: Accounts;
  linking: Linking;
  /** What all pages know, as it is now. */
  pageSettings(): Promise<PageSettings>;
  /** What is for a user and not for everybody; null where it can't be told. */
  projectsFor(user: SignedInUser["user"]): Promise<Overview["projects"]>;
}

/** What the actions share. */
export interface ActionContext extends AccountActionsDependencies {
  signedOutContext(returnTo: string | null): Promise<SignedOutContext>;
  overview(
    who: SignedInUser,
    more?: Partial<Pick<Overview, "returnTo" | "notice">>,
  ): Promise<Overview>;
}

/** A form as it came. */
export interface FormRequest {
  values: FormValues;
  who: SignedInUser | null;
  visitor: Visitor;
  /** The local path that the form is to lead to at last; null for the account. */
  returnTo: string | null;
  /** What the address names: a provider. */
  id: string;
}

/** What comes of a form. */
export type Outcome =
  | { kind: "page"; page: AccountPage; status: number; headers?: Record<string, string> }
  | { kind: "go"; to: string; starts?: SignedIn; ends?: true }
  /** To another site, which a form may not lead to by itself. */
  | { kind: "away"; to: string; cookie: string };

export interface Action {
  /** Whether only somebody signed in can mean it. */
  signedIn?: true;
  /** What a wrong password is: which field says what. */
  wrongPassword?: { message: string; field: string; fieldMessage: string };
  act(form: FormRequest): Promise<Outcome>;
  /** The page with the form on it, and what is wrong. */
  again(form: FormRequest, formError: FormError): Promise<AccountPage>;
}

/** The page that says what has happened. */
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
  return `That was too often. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}

/** What a refusal is to whoever filled in the form. */
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
