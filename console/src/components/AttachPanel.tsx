import { type ReactElement, useEffect, useEffectEvent } from "react";

import { useAttachments } from "../hooks/useAttachments.ts";
import type { Draft } from "../hooks/useDraft.ts";
import css from "../styles/compose-pictures.css?inline";
import { AttachList } from "./AttachList.tsx";

export interface AttachPanelProps {
  draft: Draft;
  /** Files that the owner has just given. */
  given: readonly File[];
  onTaken(): void;
}

/** Takes the pictures that are given, sends them and lists them. */
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
