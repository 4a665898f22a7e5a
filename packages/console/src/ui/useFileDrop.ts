import {
  type ClipboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";

export interface FileDrop {
  /** What has to be visible for files to be accepted; the whole page if it isn't set. */
  zone: RefObject<HTMLFormElement | null>;
  /** Whether files are dragged over the page. */
  over: boolean;
  onPaste(event: ClipboardEvent): void;
}

/** Whether files are being dragged. */
export const carriesFiles = (event: { dataTransfer: DataTransfer | null }): boolean =>
  event.dataTransfer?.types.includes("Files") ?? false;

/**
 * Accepts files pasted into the zone, or dropped anywhere while it is visible: otherwise, the
 * browser would open a dropped image instead of the page.
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
      // Text copied from a document may include an image of itself.
      if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
      event.preventDefault();
      onFiles(files);
    },
  };
}
