import type { ReactElement } from "react";

import type { Picker } from "../hooks/usePicking.ts";
import { Button } from "./Button.tsx";
import { Icon } from "./Icon.tsx";

/** Lets the owner point at a part of the page; on a phone the sheet steps aside meanwhile. */
export function PointButton(props: { picker: Picker; onCancel(): void }): ReactElement {
  const { picker } = props;
  if (!picker.picking) {
    return (
      <Button onClick={() => picker.start()}>
        <Icon name="target" /> Point <span className="rest">at the page</span>
      </Button>
    );
  }
  return (
    <span className="pointing">
      <span className="quiet">Tap a part of the page</span>
      <Button
        onClick={() => {
          picker.cancel();
          props.onCancel();
        }}
      >
        Stop pointing
      </Button>
    </span>
  );
}
