import type { ReactElement } from "react";

import type { LiveRun } from "./useRun.ts";

/** Whether the public changelog mentions a change; asked before publishing. */
export function MentionChoice(props: {
  live: LiveRun;
  /** The owner's choice; null: as in the preview. */
  chosen: boolean | null;
  choose(isMentioned: boolean): void;
}): ReactElement | null {
  const { live, chosen, choose } = props;
  const byDefault = live.run?.isInChangelog ?? null;
  if (live.view.status !== "preview_ready" || byDefault === null) return null;
  return (
    <label className="mention">
      <input
        type="checkbox"
        checked={chosen ?? byDefault}
        onChange={(event) => choose(event.target.checked)}
      />
      Mention in the changelog
    </label>
  );
}
