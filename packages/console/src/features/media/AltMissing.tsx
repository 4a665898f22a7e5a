import type { ReactElement } from "react";

import { Icon } from "../../ui/Icon.tsx";

/** The badge of an image that nothing describes and that nobody has called decorative. */
export function AltMissing(): ReactElement {
  return (
    <p className="alt-missing">
      <Icon name="warning" /> No alternative text
    </p>
  );
}

/** Where the owner says that an image needs no words. */
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
      Decorative: it shows nothing a reader would miss
    </label>
  );
}
