import {
  type ClipboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";

export interface FileDrop {
  /** What has to be seen for files to be taken; the whole page where it is no part of it. */
  zone: RefObject<HTMLFormElement | null>;
  /** Whether files are held above the page. */
  over: boolean;
  onPaste(event: ClipboardEvent): void;
}

/** Whether what is dragged are files. */
export const carriesFiles = (event: { dataTransfer: DataTransfer | null }): boolean =>
  event.dataTransfer?.types.includes("Files") ?? false;

/**
 * Takes files that are pasted into the zone, or dropped anywhere while it is seen: an image that
 * missed it would be opened by the browser in place of the page.
 */
export function useFileDrop(onFiles: (files: File[]) => void): FileDrop {
  const zone = useRef<HTMLFormElement>(null);
  const [over, setOver] = useState(false);
  const take = useEffectEvent((event: DragEvent): void => {
    if (!carriesFiles(event) || zone.current?.checkVisibility() === false) return;
    event.preventDefault();
    setOver(event.type === "dragover");
    if (event.type === "drop") onFiles([...(event.dataTransfer?.files ?? [])]);
  });
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    for (const type of ["dragover", "drop"] as const) {
      addEventListener(type, (event) => take(event), { signal });
    }
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    addEventListener("dragleave", onLeave, { signal });
    return () => abort.abort();
  }, []);
  return {
    zone,
    over,
    onPaste(event) {
      const files = [...event.clipboardData.files];
      // Copied from a document, text comes with an image of itself.
      if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
      event.preventDefault();
      onFiles(files);
    },
  };
}
