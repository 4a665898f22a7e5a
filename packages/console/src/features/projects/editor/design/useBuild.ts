import { useEffect, useRef, useState } from "react";

import type {
  BuildProjectBody,
  BuiltProject,
  DesignProgress,
} from "../../../../../../server/src/features/design/schema.ts";
import { asApiError, type ApiError } from "../../../../api/client.ts";
import { useAnnounce, useClient } from "../../../../api/context.tsx";
import { buildProject } from "./build-stream.ts";

export interface Build {
  phase: "idle" | "working" | "failed";
  /** Completed and current steps, latest last. */
  steps: readonly DesignProgress[];
  /** When it began, in ms. */
  since: number;
  error: ApiError | null;
  /** Returns the project; null if it was stopped or failed. */
  start(body: Partial<BuildProjectBody>): Promise<BuiltProject | null>;
  stop(): void;
}

type State = Pick<Build, "phase" | "steps" | "since" | "error">;
const idle: State = { phase: "idle", steps: [], since: 0, error: null };

/** Adds a step, replacing an earlier report of the same one. */
function withStep(steps: readonly DesignProgress[], next: DesignProgress): DesignProgress[] {
  return [...steps.filter(({ step }) => step !== next.step), next];
}

/** The Web Designer's work on one page. */
export function useBuild(): Build {
  const client = useClient();
  const announce = useAnnounce();
  const [state, setState] = useState(idle);
  const under = useRef<AbortController | null>(null);
  useEffect(() => () => under.current?.abort(), []);
  return {
    ...state,
    stop() {
      under.current?.abort();
      under.current = null;
      setState(idle);
      announce("Stopped. Your text and images are kept.");
    },
    async start(body) {
      under.current?.abort();
      const own = new AbortController();
      under.current = own;
      setState({ ...idle, phase: "working", since: Date.now() });
      try {
        const built = await buildProject(body, {
          client,
          signal: own.signal,
          onProgress(progress) {
            announce(progress.title);
            setState((now) => ({ ...now, steps: withStep(now.steps, progress) }));
          },
        });
        setState(idle);
        return built;
      } catch (cause) {
        if (!own.signal.aborted) setState({ ...idle, phase: "failed", error: asApiError(cause) });
        return null;
      }
    },
  };
}
