import { type ReactElement, useRef } from "react";

import { Button, type ButtonProps } from "./Button.tsx";

export interface FileButtonProps extends Omit<ButtonProps, "onClick"> {
  /** For the browser's own dialog; only a hint. */
  accept: string;
  multiple?: boolean;
  /** Whether a folder is chosen, with all that is in it. */
  folder?: boolean;
  /** What the field is called, where the button's label is not enough. */
  field?: string;
  onFiles(files: File[]): void;
}

/** A button that opens the browser's file dialog. */
export function FileButton(props: FileButtonProps): ReactElement {
  const { accept, multiple = true, folder = false, field, onFiles, ...button } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        data-upload
        aria-label={field ?? button.label ?? "Files"}
        multiple={multiple}
        // React's types don't know it; every browser does.
        {...(folder && { webkitdirectory: "" })}
        accept={accept}
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
