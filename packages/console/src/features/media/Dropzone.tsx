import {
  type DragEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";

import { Button, type ButtonProps } from "../../ui/Button.tsx";
import { acceptedFiles } from "./upload-rules.ts";

/** A button that opens the browser's file dialog for pictures and films. */
export function FileButton(
  props: Omit<ButtonProps, "onClick"> & {
    onFiles(files: File[]): void;
    multiple?: boolean;
  },
): ReactElement {
  const { onFiles, multiple = true, ...button } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="upload" {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        data-upload
        aria-label={button.label ?? "Files"}
        multiple={multiple}
        accept={acceptedFiles}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // The same file can be chosen again.
          event.target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}

const carriesFiles = (event: { dataTransfer: DataTransfer | null }): boolean =>
  event.dataTransfer?.types.includes("Files") ?? false;

/** A place that files can be dropped on; what is inside it works as before. */
export function Dropzone(props: {
  onFiles(files: File[]): void;
  children: ReactNode;
  className?: string;
}): ReactElement {
  const [over, setOver] = useState(false);
  const take = (event: DragEvent): void => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(event.type === "dragover");
    if (event.type === "drop") props.onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      className={`dropzone ${props.className ?? ""}`}
      data-over={over}
      onDragOver={take}
      onDrop={take}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
    >
      {props.children}
    </div>
  );
}

/** Takes files that are dropped anywhere on the page; gives whether some are above it. */
export function usePageDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    addEventListener(
      "dragover",
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      { signal },
    );
    addEventListener(
      "dragleave",
      (event) => {
        if (event.relatedTarget === null) setOver(false);
      },
      { signal },
    );
    addEventListener(
      "drop",
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(false);
        take([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    return () => abort.abort();
  }, []);
  return over;
}
