import { lazy, type ReactElement, Suspense } from "react";

import { useUsed } from "../hooks/useUsed.ts";
import type { AttachPanelProps } from "./AttachPanel.tsx";

const Panel = lazy(async () => ({ default: (await import("./AttachPanel.tsx")).AttachPanel }));

/** The pictures that go along; what sends them is loaded with the first one. */
export function Attach(props: AttachPanelProps): ReactElement | null {
  const used = useUsed(props.given.length > 0 || props.draft.pictures.length > 0);
  if (!used) return null;
  return (
    <Suspense fallback={<p className="quiet">Loading…</p>}>
      <Panel {...props} />
    </Suspense>
  );
}
