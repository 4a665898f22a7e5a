import { type ReactElement, useEffect, useEffectEvent } from "react";

import { AttachList } from "./AttachList.tsx";
import css from "./attachments.css?inline";
import { useAttachments } from "./useAttachments.ts";
import type { Draft } from "./useDraft.ts";

export interface AttachPanelProps {
  draft: Draft;
  /** Newly added files. */
  given: readonly File[];
  onTaken(): void;
}

/** Accepts images, uploads and lists them. */
export function AttachPanel({ draft, given, onTaken }: AttachPanelProps): ReactElement {
  const attachments = useAttachments(draft);
  const take = useEffectEvent(() => {
    attachments.add(given);
    onTaken();
  });
  useEffect(() => {
    if (given.length > 0) take();
  }, [given]);
  return (
    <>
      <style>{css}</style>
      <AttachList attachments={attachments} />
    </>
  );
}
