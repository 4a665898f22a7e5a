import "../../ui/styles/uploads.css";
import "./media.css";

import type { ReactElement } from "react";

import { formatCount } from "../../ui/format.ts";
import { isSettled } from "./upload-queue.ts";
import { usePageUploads } from "./usePageUploads.ts";

/** The progress of all uploads together, and the way to them. */
export function RunningUploads(): ReactElement | null {
  const { items, waiting } = usePageUploads();
  const running = items.filter((item) => !isSettled(item));
  const failed = items.filter(({ status }) => status === "failed");
  const stored = items.filter(({ status }) => status === "done");
  if (items.length + waiting.length === 0) return null;
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  const sent = items.reduce((sum, item) => {
    if (item.status === "sending") return sum + item.size * (item.fraction ?? 0);
    return item.status === "queued" ? sum : sum + item.size;
  }, 0);
  const texts = [
    running.length > 0 && `Uploading ${formatCount(running.length, "file")}`,
    stored.length > 0 && `${formatCount(stored.length, "file")} uploaded`,
    failed.length > 0 && `${formatCount(failed.length, "upload")} failed`,
    waiting.length > 0 && `${formatCount(waiting.length, "upload")} interrupted`,
  ];
  return (
    <section className="upload-banner" aria-label="Uploads">
      <p role="status">{texts.filter(Boolean).join(" · ")}</p>
      {running.length > 0 && (
        <progress
          className="upload-progress"
          aria-label="Uploads"
          max={1}
          value={bytes > 0 ? sent / bytes : 0}
        />
      )}
      <a href="/admin/media">Show uploads</a>
    </section>
  );
}
