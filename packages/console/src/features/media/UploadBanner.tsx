import { type ReactElement, useEffect, useState } from "react";

import { lazyComponent } from "../../ui/lazy-component.tsx";
import { openKeptFiles } from "./kept-files.ts";

const RunningUploads = lazyComponent(
  async () => (await import("./RunningUploads.tsx")).RunningUploads,
);

/** Continues unfinished uploads on admin pages that don't list them. */
export function UploadBanner(): ReactElement | null {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    openKeptFiles()
      .then((files) => files.list())
      .then((uploads) => setNeeded(uploads.some(({ media }) => media === undefined)))
      // Without a database there is nothing to continue.
      .catch(() => {});
  }, []);
  return isNeeded ? <RunningUploads /> : null;
}
