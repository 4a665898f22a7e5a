import { type DragEvent, type ReactElement, type ReactNode, useState } from "react";

import { FileButton, type FileButtonProps } from "../../ui/FileButton.tsx";
import { carriesFiles } from "../../ui/useFileDrop.ts";
import { acceptedFiles } from "./upload-rules.ts";

/** A button that opens the browser's file dialog for images and videos. */
export function MediaButton(props: Omit<FileButtonProps, "accept">): ReactElement {
  return <FileButton icon="upload" accept={acceptedFiles} {...props} />;
}

/** An area where files can be dropped; its content works as usual. */
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
