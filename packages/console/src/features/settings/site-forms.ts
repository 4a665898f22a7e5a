import type { OwnerView } from "../../../../server/src/features/settings/schema.ts";
import type { FieldErrors } from "../forms/useForm.ts";

export interface OwnerForm {
  name: string;
  timeZone: string;
}

export function ownerForm({ name, timeZone }: OwnerView): OwnerForm {
  return { name, timeZone };
}

export function missingOwner({ name, timeZone }: OwnerForm): FieldErrors {
  return {
    ...(name.trim() === "" && { name: "Enter the site owner’s name." }),
    ...(timeZone.trim() === "" && { timeZone: "Enter a time zone." }),
  };
}

/** Who can create an account, in the order of the page. */
export const signUps = [
  {
    value: "open",
    label: "Anyone",
    about: "Anyone who confirms an email address gets an account and can see projects for members.",
  },
  {
    value: "invited",
    label: "Only people you invite",
    about:
      "Only addresses you’ve invited to a project. Others can’t find out whether they’re invited.",
  },
  {
    value: "closed",
    label: "No one",
    about: "No new accounts, with a password or a provider. Existing accounts can still sign in.",
  },
] as const;

/** How many findings would be queued, as a text. */
export function limitLabel({ findings, tasks }: { findings: number; tasks: number }): string {
  if (findings === 0) return "Nothing to queue right now.";
  const found = findings === 1 ? "1 finding" : `${findings} findings`;
  return `${found} would be queued now, as ${tasks === 1 ? "1 task" : `${tasks} tasks`}.`;
}
