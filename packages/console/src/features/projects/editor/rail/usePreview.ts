import { useState } from "react";

import { asApiError, ApiError } from "../../../../api/client.ts";
import { useAnnounce, useClient } from "../../../../api/context.tsx";
import { previewAddress } from "../../../preview/preview-url.ts";

export interface Preview {
  phase: "none" | "saving" | "building" | "ready" | "failed";
  /** The address of the private page when it is ready. */
  address: string | null;
  error: ApiError | null;
  build(): Promise<void>;
}

type State = Pick<Preview, "phase" | "address" | "error">;

const none: State = { phase: "none", address: null, error: null };

/** A private build of the saved project: saves first, then requests it. */
export function usePreview(options: {
  projectId: number;
  unsaved: boolean;
  save(): Promise<boolean>;
}): Preview {
  const client = useClient();
  const announce = useAnnounce();
  const [state, setState] = useState(none);
  async function build(): Promise<void> {
    if (state.phase === "saving" || state.phase === "building") return;
    setState({ ...none, phase: "saving" });
    if (options.unsaved && !(await options.save())) return setState(none);
    setState({ ...none, phase: "building" });
    announce("Building the preview.");
    try {
      const response = await client.post<{ previewUrl: string; path: string }>(
        "/devconsole/preview",
        { projectId: options.projectId },
      );
      const address = previewAddress(response.previewUrl, response.path, location.href);
      if (address === null) throw new ApiError("internal", "Couldn’t open the preview.");
      setState({ ...none, phase: "ready", address });
      announce("The preview is ready.");
    } catch (cause) {
      setState({ ...none, phase: "failed", error: asApiError(cause) });
    }
  }
  return { ...state, build };
}
