import { AppError } from "../../../kit/errors.ts";
import type { Accounts, SignedIn, SignedInUser, Visitor } from "../account.ts";
import type { OutcomeCode } from "./outcomes.ts";
import type { AccountPage, Overview, PageSurroundings, Said, Trouble } from "./page.ts";
import { address } from "./parts.ts";
import type { Strangers } from "./signed-out.ts";

/** Accounts elsewhere that a user has linked. */
export interface Linking {
  linked(userId: number): Promise<Overview["linked"]>;
  /** Begins at a provider: where the browser goes, and the Set-Cookie value that comes along. */
  begin(
    providerId: string,
    how: { returnTo: string; linkUser: SignedInUser },
  ): Promise<{ location: string; cookie: string }>;
  unlink(who: SignedInUser, providerId: string): Promise<unknown>;
}

export interface AccountActionsDeps {
  accounts: Accounts;
  linking: Linking;
  /** What all pages know, as it is now. */
  surroundings(): Promise<PageSurroundings>;
  /** What is for a user and not for everybody; null where it can't be told. */
  projectsFor(user: SignedInUser["user"]): Promise<Overview["projects"]>;
}

/** What the actions share. */
export interface Known extends AccountActionsDeps {
  strangers(returnTo: string | null): Promise<Strangers>;
  overview(
    who: SignedInUser,
    more?: Partial<Pick<Overview, "returnTo" | "notice">>,
  ): Promise<Overview>;
}

/** A form as it came. */
export interface Asked {
  said: Said;
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
  wrong?: { message: string; field: string; says: string };
  act(asked: Asked): Promise<Outcome>;
  /** The page with the form on it, and what is wrong. */
  again(asked: Asked, trouble: Trouble): Promise<AccountPage>;
}

/** The page that says what has happened. */
export const done = (code: OutcomeCode, path = "/account"): string => address(path, { done: code });

export const text = (said: Said, name: string): string => said[name] ?? "";

/** Throws `unauthenticated`. */
export function signedInOf({ who }: Asked): SignedInUser {
  if (!who) throw new AppError("unauthenticated", "Sign in first.");
  return who;
}

function waitWords(error: AppError): string {
  const seconds = Number(error.headers?.["retry-after"] ?? 60);
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return `That was too often. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}

/** What a refusal is to whoever filled in the form. */
export function troubleOf(error: AppError, wrong: Action["wrong"]): Trouble {
  const { code, message, fields = {} } = error;
  if (code === "throttled") return { message: waitWords(error), fields: {} };
  if (code === "invalid_credentials" && wrong) {
    return { message: wrong.message, fields: { [wrong.field]: wrong.says } };
  }
  if (code === "validation_failed" && Object.keys(fields).length > 0) {
    return { message: "Something is not right yet, as marked below.", fields };
  }
  return { message, fields };
}
