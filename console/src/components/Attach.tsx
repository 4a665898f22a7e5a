import type { ReactElement } from "react";

import { useUsed } from "../hooks/useUsed.ts";
import type { AttachPanelProps } from "./AttachPanel.tsx";
import { part } from "./part.tsx";

const Panel = part(async () => (await import("./AttachPanel.tsx")).AttachPanel);

/** The pictures that go along; what sends them is loaded with the first one. */
export function Attach(props: AttachPanelProps): ReactElement | null {
  const used = useUsed(props.given.length > 0 || props.draft.pictures.length > 0);
  return used ? <Panel {...props} /> : null;
}
