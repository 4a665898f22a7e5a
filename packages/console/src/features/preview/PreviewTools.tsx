import { type ReactElement, useEffect, useRef, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { deviceOptions } from "./preview-url.ts";
import type { Preview } from "./preview.ts";

const sizes = deviceOptions.map(({ value, label }) => ({
  value,
  label,
  title: label,
  icon: value,
}));

/** The row over the preview: close, address, reload, compare, size, open in a tab. */
export function PreviewTools(props: {
  path: string;
  address: string | null;
  preview: Preview;
  /** Goes to a page, or loads the same one again. */
  onPath(path: string): void;
}): ReactElement {
  const { path, preview } = props;
  const [typed, setTyped] = useState(path);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  useEffect(() => setTyped(path), [path]);
  return (
    <form
      className="tools"
      onSubmit={(event) => {
        event.preventDefault();
        props.onPath(typed);
      }}
    >
      <Button ref={close} onClick={preview.close}>
        <Icon name="cross" />
        <span className="unseen">Close the preview</span>
      </Button>
      <label className="frame-address">
        <span className="unseen">Page in the preview</span>
        <input
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <Button onClick={() => props.onPath(path)}>
        <Icon name="reload" />
        <span className="unseen">Reload the preview</span>
      </Button>
      <Button pressed={preview.comparing} onClick={preview.compare}>
        <Icon name="compare" />
        <span className="unseen">Compare with the live site</span>
      </Button>
      <SegmentedControl
        legend="Size"
        value={preview.device}
        options={sizes}
        onChange={preview.setDevice}
      />
      {props.address !== null && (
        <a className="button" href={props.address} target="_blank" rel="noopener noreferrer">
          <Icon name="external" />
          <span className="unseen">Open the preview in a tab</span>
        </a>
      )}
    </form>
  );
}
