import type {
  ListedSite,
  MeasuredSite,
  SiteJob,
} from "../../../../server/src/features/sites/schema.ts";
import { formatCount } from "../../ui/format.ts";

/** A change of a site: the path of its route, and what is sent. */
export type SiteChange =
  | { path: "suspend" | "resume"; body: { name: string } }
  | { path: "limit"; body: { name: string; diskMiB: number | null } }
  | {
      path: "add-domain" | "set-main-domain" | "remove-domain";
      body: { name: string; domain: string };
    };

/** A state that a page shows of a site: those of the registry, and whether a command works on it. */
export type SiteState = "active" | "suspended" | "moved" | "busy" | "unfinished";

export function stateOf(site: Pick<ListedSite, "status" | "isBusy" | "movedTo">): SiteState {
  if (site.isBusy) return "busy";
  if (site.status === "creating") return "unfinished";
  if (site.status === "suspended" && site.movedTo !== null) return "moved";
  return site.status;
}

export const stateLabels: Readonly<Record<SiteState, string>> = {
  active: "Active",
  suspended: "Suspended",
  moved: "Moved",
  busy: "In progress",
  unfinished: "Not finished",
};

/** Disk space as the limits count it: "118 MiB", "12.4 GiB". */
export function formatMiB(mib: number): string {
  if (mib < 10_000) return `${Math.ceil(mib).toLocaleString("en-GB")} MiB`;
  return `${(mib / 1024).toLocaleString("en-GB", { maximumFractionDigits: 1 })} GiB`;
}

/** "118 MiB of 500 MiB used", "118 MiB used". */
export function usageLabel({ diskBytes, diskMiB }: MeasuredSite): string {
  const used = formatMiB(diskBytes / 2 ** 20);
  return diskMiB === null ? `${used} used` : `${used} of ${formatMiB(diskMiB)} used`;
}

/** Whether a site uses more than its limit, so that uploads fail. */
export function isFull({ diskBytes, diskMiB }: MeasuredSite): boolean {
  return diskMiB !== null && diskBytes >= diskMiB * 2 ** 20;
}

/** "and 2 other domains"; empty for one domain. */
export function otherDomainsLabel(domainCount: number): string {
  return domainCount > 1 ? `and ${formatCount(domainCount - 1, "other domain")}` : "";
}

const jobTitles: Readonly<Record<SiteJob["kind"], Record<SiteJob["state"], string>>> = {
  create: { running: "Creating", done: "Created", failed: "Couldn’t create" },
  remove: { running: "Removing", done: "Removed", failed: "Couldn’t remove" },
};

export function jobTitle({ kind, state, name }: SiteJob): string {
  return `${jobTitles[kind][state]} “${name}”`;
}

/** What screen readers announce after a change. */
export function doneLabel({ path, body }: SiteChange): string {
  switch (path) {
    case "suspend":
      return `“${body.name}” suspended.`;
    case "resume":
      return `“${body.name}” resumed.`;
    case "limit":
      return "Disk limit saved.";
    case "add-domain":
      return `${body.domain} added.`;
    case "set-main-domain":
      return `${body.domain} is now the main domain.`;
    case "remove-domain":
      return `${body.domain} removed.`;
  }
}
