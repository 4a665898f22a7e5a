import { type ReactElement, useRef } from "react";

import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";

/** Opens the browser's own dialog for pictures. */
export function AttachButton({ onFiles }: { onFiles(files: File[]): void }): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>
        <Icon name="attach" /> Attach
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/*,.heic,.heif"
        aria-label="Pictures"
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
