import type { ChecklistItem } from "../admin-auth/overview-page.ts";
import type { SetupView } from "./schema.ts";

/** The state of the parts outside the setup. */
export interface SiteState {
  hasPassword: boolean;
  hasModel: boolean;
  hasMail: boolean;
}

/**
 * Where an owner starts: at the password, which leads on to the setup, or at the setup. Null once the
 * setup has an answer, is dismissed, or has nothing to replace.
 */
export function startAddress(view: SetupView, hasPassword: boolean): string | null {
  const isUntouched = !view.isDismissed && Object.keys(view.answers).length === 0;
  if (!isUntouched || view.sample.files.length === 0) return null;
  return hasPassword ? "/admin/setup" : "/admin/password";
}

const stepAddress = (step: string) => `/admin/setup?step=${step}`;

/**
 * The open setup steps with their links. Empty once dismissed, and for a site without sample
 * content or answers, because its owner has created it in another way.
 */
export function openItems(view: SetupView, state: SiteState): ChecklistItem[] {
  const { answers, site, sample } = view;
  const isSampleLeft = sample.files.length > 0 || sample.projects > 0;
  const isBegun = Object.keys(answers).length > 0;
  if (view.isDismissed || (!isSampleLeft && !isBegun)) return [];
  const hasName = answers.name !== undefined || site.name !== null;
  const hasAbout = answers.about !== undefined || answers.portrait !== undefined;
  const open: [boolean, string, string][] = [
    [!state.hasPassword, "Choose a password", "/admin/password"],
    [!hasName, "Introduce yourself", stepAddress("you")],
    [!hasAbout, "Add a portrait and a text about yourself", stepAddress("about")],
    [
      answers.services === undefined,
      "List your services, or say that there are none",
      stepAddress("services"),
    ],
    [answers.theme === undefined, "Choose a theme", stepAddress("theme")],
    [
      !state.hasModel && answers.model === undefined,
      "Choose a language model, or work without",
      stepAddress("model"),
    ],
    [!state.hasMail, "Set up email", "/admin/settings#mail"],
    [isSampleLeft, "Replace the sample by publishing your site", stepAddress("publish")],
  ];
  return open.flatMap(([isOpen, label, href]) => (isOpen ? [{ label, href }] : []));
}
