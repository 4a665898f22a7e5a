import type { Markup } from "../../../kit/html.ts";
import type { SessionView, SignedInUser } from "../account.ts";

/** The content of an account page, which the site's layout encloses. */
export interface AccountPage {
  /** The title of the tab, which screen readers read first. */
  title: string;
  content: Markup;
  /** The address contains a token, which must not be sent in a Referer header. */
  secret?: boolean;
  /** Redirects to this address automatically. */
  redirectTo?: string;
}

/** Submitted values by field name. */
export type FormValues = Readonly<Record<string, string>>;

/** Why a form is shown again: a sentence for the top and an error for each invalid field. */
export interface FormError {
  message: string;
  fields: Readonly<Record<string, string>>;
}

/** A provider that users can sign in with. */
export interface ProviderName {
  id: string;
  name: string;
}

/** Who can create an account. */
export type SignUpMode = "open" | "invited" | "closed";

/** Settings that all pages need. */
export interface PageSettings {
  /** The site's name: its owner's name. */
  siteName: string;
  /** IANA time zone. */
  timeZone: string;
  providers: readonly ProviderName[];
  signUp: SignUpMode;
}

/** A project for members or for people invited to it. */
export interface OverviewProject {
  name: string;
  summary: string;
  path: string;
}

/** A linked account at a provider. */
export interface LinkedView {
  provider: string;
  /** The provider's name on the button. */
  name: string;
  /** The address at the provider, only for display; may be empty. */
  email: string;
  linkedAt: string;
}

/** The data of a signed-in user's account page. */
export interface Overview extends PageSettings {
  who: SignedInUser;
  /** Null if they can't be read at the moment. */
  projects: readonly OverviewProject[] | null;
  sessions: readonly SessionView[];
  linked: readonly LinkedView[];
  /** The page the user came from; null if there is none to return to. */
  returnTo: string | null;
  notice: Markup | null;
}
