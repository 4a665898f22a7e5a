import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from "react";

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

/** The toolbar over the preview: close, address, reload, compare, size, open in a tab. */
export function PreviewTools(props: {
  path: string;
  address: string | null;
  preview: Preview;
  /** Opens a page, or reloads the current one. */
  onPath(path: string): void;
}): ReactElement {
  const { path, preview } = props;
  const [typed, setTyped] = useState(path);
  const close = useRef<HTMLButtonElement>(null);
  const isAsked = useEffectEvent(() => preview.takesFocus);
  useEffect(() => {
    if (isAsked()) close.current?.focus();
  }, []);
  useEffect(() => setTyped(path), [path]);
  return (
    <form
      className="tools"
      onSubmit={(event) => {
        event.preventDefault();
        props.onPath(typed);
      }}
    >
      <Button ref={close} icon="cross" label="Close the preview" onClick={preview.close} />
      <label className="frame-address">
        <span className="unseen">Page in the preview</span>
        <input
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <Button icon="reload" label="Reload the preview" onClick={() => props.onPath(path)} />
      <Button
        icon="compare"
        label="Compare with the live site"
        pressed={preview.comparing}
        onClick={preview.compare}
      />
      <SegmentedControl
        legend="Size"
        value={preview.device}
        options={sizes}
        onChange={preview.setDevice}
      />
      {props.address !== null && (
        <a
          className="button square"
          href={props.address}
          target="_blank"
          rel="noopener noreferrer"
          aria-label="Open the preview in a tab"
        >
          <Icon name="external" />
        </a>
      )}
    </form>
  );
}
