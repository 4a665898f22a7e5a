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
    ...(name.trim() === "" && { name: "Say whose site it is." }),
    ...(timeZone.trim() === "" && { timeZone: "Say which time zone." }),
  };
}

/** Who may make an account, in the order of the page. */
export const signUps = [
  {
    value: "open",
    label: "Anybody",
    about: "Whoever confirms their address gets an account, and sees what is for members.",
  },
  {
    value: "invited",
    label: "Only who is invited",
    about: "Addresses that you have invited to a project. Others are not told whether they are.",
  },
  {
    value: "closed",
    label: "Nobody",
    about: "No new accounts, by password or by a provider. Those who have one still sign in.",
  },
] as const;

/** How many findings would be queued, in words. */
export function limitLabel({ findings, tasks }: { findings: number; tasks: number }): string {
  if (findings === 0) return "Nothing to queue right now.";
  const found = findings === 1 ? "1 finding" : `${findings} findings`;
  return `${found} would be queued now, as ${tasks === 1 ? "1 task" : `${tasks} tasks`}.`;
}
