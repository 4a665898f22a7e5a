import type { ReactElement } from "react";

import type { Picker } from "../hooks/usePicking.ts";
import { Button } from "./Button.tsx";
import { Icon } from "./Icon.tsx";

/** Lets the owner point at a part of the page, and ends that. */
export function PointButton(props: { picker: Picker; onCancel(): void }): ReactElement {
  const { picker } = props;
  if (!picker.picking) {
    return (
      <Button onClick={() => picker.start()}>
        <Icon name="target" />
        <span>
          Point<span className="rest"> at the page</span>
        </span>
      </Button>
    );
  }
  return (
    <Button
      onClick={() => {
        picker.cancel();
        props.onCancel();
      }}
    >
      <Icon name="target" /> Stop pointing
    </Button>
  );
}
