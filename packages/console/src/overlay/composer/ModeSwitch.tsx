import type { ReactElement } from "react";

import type { Mode } from "../../api/types.ts";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";

const modes = [
  { value: "build", label: "Build", title: "Changes the site. Private until you publish." },
  { value: "ask", label: "Ask", title: "Answers without changing anything" },
] as const;

const bases = [
  {
    value: "preview",
    label: "Change this further",
    title: "Continues from the current preview",
  },
  {
    value: "site",
    label: "Start fresh",
    title: "Starts from the live site. The preview stays in History.",
  },
] as const;

/** Whether the agent may change anything. */
export function ModeSwitch(props: { mode: Mode; onMode(mode: Mode): void }): ReactElement {
  return (
    <SegmentedControl legend="Mode" value={props.mode} options={modes} onChange={props.onMode} />
  );
}

/** Whether the instruction continues the ready preview, or starts from the live site. */
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
