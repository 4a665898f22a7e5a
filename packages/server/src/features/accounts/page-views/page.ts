import type { Markup } from "../../../kit/html.ts";
import type { SessionView, SignedInUser } from "../account.ts";

/** What of a page of the account is its own; the site's frame comes around it. */
export interface AccountPage {
  /** For the tab, and what a reader hears first. */
  title: string;
  content: Markup;
  /** Its address carries a token, which may not leave as a Referer. */
  secret?: boolean;
  /** Goes on to this address by itself. */
  redirectTo?: string;
}

/** What was typed into a form: texts by the names of the fields. */
export type FormValues = Readonly<Record<string, string>>;

/** Why a form comes back: a sentence for the top, and what is wrong with which field. */
export interface FormError {
  message: string;
  fields: Readonly<Record<string, string>>;
}

/** Where somebody may sign in instead of here. */
export interface ProviderName {
  id: string;
  name: string;
}

/** Who may begin an account. */
export type SignUpMode = "open" | "invited" | "closed";

/** What all pages know. */
export interface PageSettings {
  /** What the site is called: its owner's name. */
  siteName: string;
  /** IANA name. */
  timeZone: string;
  providers: readonly ProviderName[];
  signUp: SignUpMode;
}

/** A project that is for members, or for those invited to it. */
export interface OverviewProject {
  name: string;
  summary: string;
  path: string;
}

/** A way to sign in at a provider that a user has linked. */
export interface LinkedView {
  provider: string;
  /** What its button says. */
  name: string;
  /** What the provider calls them, for the eye; may be empty. */
  email: string;
  linkedAt: string;
}

/** All that the page of a signed-in visitor tells. */
export interface Overview extends PageSettings {
  who: SignedInUser;
  /** Null where it can't be told at the moment. */
  projects: readonly OverviewProject[] | null;
  sessions: readonly SessionView[];
  linked: readonly LinkedView[];
  /** Where they came from; null for nowhere that they would go back to. */
  returnTo: string | null;
  notice: Markup | null;
}
