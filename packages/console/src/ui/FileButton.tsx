import { type ReactElement, useRef } from "react";

import { Button, type ButtonProps } from "./Button.tsx";

export interface FileButtonProps extends Omit<ButtonProps, "onClick"> {
  /** For the browser's dialog; only a hint. */
  accept: string;
  multiple?: boolean;
  /** Whether to choose a folder with all its content. */
  folder?: boolean;
  /** The field's name, if the button's label isn't enough. */
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
        // Missing in React's types, but supported by all browsers.
        {...(folder && { webkitdirectory: "" })}
        accept={accept}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // Allows choosing the same file again.
          event.target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
