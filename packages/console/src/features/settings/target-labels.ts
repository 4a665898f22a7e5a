import type { TargetKind } from "../../../../server/src/features/publish-targets/schema.ts";
import { formatCount, formatSize } from "../../ui/format.ts";
import type { Target } from "./useTargets.ts";

/** The kinds in the order in which they are offered. */
export const kindLabels: Readonly<Record<TargetKind, string>> = {
  s3: "S3 bucket",
  git: "Git branch",
  rsync: "Server (rsync)",
  netlify: "Netlify",
  cloudflare: "Cloudflare Pages",
};

export const addLabels: Readonly<Record<TargetKind, string>> = {
  s3: "Add S3 bucket",
  git: "Add Git branch",
  rsync: "Add server (rsync)",
  netlify: "Add Netlify site",
  cloudflare: "Add Cloudflare project",
};

/** Where a target puts the site. */
export function placeOf({ settings }: Target): string {
  switch (settings.kind) {
    case "s3": {
      const { bucket, prefix, endpoint } = settings;
      return `${prefix === "" ? bucket : `${bucket}/${prefix}`} at ${new URL(endpoint).host}`;
    }
    case "git":
      return `${settings.branch} of ${settings.url}`;
    case "rsync":
      return `${settings.user}@${settings.host}:${settings.folder}`;
    case "netlify":
      return settings.siteId;
    default:
      return `${settings.project}, branch ${settings.branch}`;
  }
}

/** The state of a target. */
export function statusLabel({ status, doneFiles, totalFiles }: Target): string {
  switch (status) {
    case "up_to_date":
      return "Up to date";
    case "sending":
      return totalFiles === 0 ? "Preparing files…" : `Sending ${doneFiles} of ${totalFiles} files`;
    case "failed":
      return "Failed";
    case "paused":
      return "Paused";
    default:
      return "Waiting to be sent";
  }
}

/** What was sent last. */
export function sentLabel({ release, files, bytes }: NonNullable<Target["sent"]>): string {
  const what = files === 0 ? "nothing had changed" : formatCount(files, "changed file");
  return `Release ${release}: ${what}${bytes === 0 ? "" : `, ${formatSize(bytes)}`}`;
}

export const formsOptions = [
  { value: "off", label: "Say that they don’t work on this copy" },
  { value: "origin", label: "Lead to this server" },
  { value: "forwarded", label: "Stay as they are: the host forwards them to this server" },
] as const;
