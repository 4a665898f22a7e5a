import type { ReactElement } from "react";

import { lazyComponent } from "../../ui/lazy-component.tsx";
import type { AttachPanelProps } from "./AttachPanel.tsx";
import { useFirstUse } from "./useFirstUse.ts";

const Panel = lazyComponent(async () => (await import("./AttachPanel.tsx")).AttachPanel);

/** The attached images; the upload code is loaded with the first one. */
export function Attach(props: AttachPanelProps): ReactElement | null {
  const used = useFirstUse(props.given.length > 0 || props.draft.images.length > 0);
  return used ? <Panel {...props} /> : null;
}
