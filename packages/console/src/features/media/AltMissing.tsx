import type { ReactElement } from "react";

import { Icon } from "../../ui/Icon.tsx";

/** The badge of an image without an alt text that isn't marked as decorative. */
export function AltMissing(): ReactElement {
  return (
    <p className="alt-missing">
      <Icon name="warning" /> No alt text
    </p>
  );
}

/** Lets the owner mark an image as decorative. */
export function DecorativeChoice(props: {
  checked: boolean;
  onChange(isDecorative: boolean): void;
}): ReactElement {
  return (
    <label className="decorative-choice">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      Decorative: adds nothing that readers would miss
    </label>
  );
}
