import type { ReactElement } from "react";

import type { RebuildState } from "../../../../api/types.ts";
import { useRebuildState } from "../../../rebuild/RebuildBanner.tsx";

const statusTexts: Readonly<Record<RebuildState["state"], string>> = {
  idle: "The site is up to date.",
  pending: "The site will update in a moment.",
  building: "The site is being updated…",
  failed: "The last site update failed. The previous version is still live.",
};

/**
 * How the live site follows this project; the banner above the page asks for decisions and offers
 * Retry.
 */
export function SiteStatus({ status }: { status: string }): ReactElement | null {
  const { current: now } = useRebuildState();
  if (now === undefined) return null;
  return (
    <p className="hint site-state" data-state={now}>
      {now === "idle" && status !== "published"
        ? "This project isn’t on the site."
        : statusTexts[now]}
    </p>
  );
}
