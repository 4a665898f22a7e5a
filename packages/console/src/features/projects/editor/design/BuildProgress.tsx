import { type ReactElement, useEffect, useRef } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { formatDuration } from "../../../../ui/format.ts";
import { Icon } from "../../../../ui/Icon.tsx";
import { useNow } from "../../../../ui/useNow.ts";
import type { Build } from "./useBuild.ts";

/** The Web Designer's progress, its elapsed time, and a Stop button. */
export function BuildProgress({ build }: { build: Build }): ReactElement {
  const stop = useRef<HTMLButtonElement>(null);
  const now = useNow(true);
  // The button that started it is gone.
  useEffect(() => stop.current?.focus(), []);
  const last = build.steps.length - 1;
  return (
    <section className="build-progress" aria-label="The Web Designer is working">
      <div className="build-head">
        <p className="build-title">The Web Designer is working</p>
        <span className="count">{formatDuration((now - build.since) / 1000)}</span>
      </div>
      <ol className="build-steps">
        {build.steps.map(({ step, title, done, total }, index) => (
          <li key={step} data-done={index < last}>
            {index < last ? <Icon name="check" /> : <span className="spinner" />}
            <span>{title}</span>
            {total !== undefined && total > 1 && index === last && (
              <progress max={total} value={done ?? 0} aria-label={title} />
            )}
          </li>
        ))}
      </ol>
      <div className="actions">
        <Button ref={stop} onClick={build.stop}>
          Stop
        </Button>
        <span className="hint">This takes up to three minutes. Your text stays as it is.</span>
      </div>
    </section>
  );
}
