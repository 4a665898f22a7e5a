import type { ReactElement } from "react";

import type { Mode } from "../../api/types.ts";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";

const modes = [
  { value: "build", label: "Build", title: "Changes the site, privately until you publish" },
  { value: "ask", label: "Ask", title: "Only reads and answers" },
] as const;

const bases = [
  {
    value: "preview",
    label: "Change this further",
    title: "Goes on from the preview that is ready",
  },
  {
    value: "site",
    label: "Start anew",
    title: "Begins with the site as it is live; the preview stays in the history",
  },
] as const;

/** Whether the agent may change anything. */
export function ModeSwitch(props: { mode: Mode; onMode(mode: Mode): void }): ReactElement {
  return (
    <SegmentedControl legend="Mode" value={props.mode} options={modes} onChange={props.onMode} />
  );
}

/** Whether the instruction builds on the preview that is ready, or on the site as it is live. */
export function FollowUpSwitch(props: {
  anew: boolean;
  onAnew(anew: boolean): void;
}): ReactElement {
  return (
    <SegmentedControl
      look="further"
      legend="What this builds on"
      value={props.anew ? "site" : "preview"}
      options={bases}
      onChange={(base) => props.onAnew(base === "site")}
    />
  );
}
