import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import type { Picker } from "../usePicking.ts";

/** Starts and stops selecting an element. */
export function PickButton(props: { picker: Picker; onCancel(): void }): ReactElement {
  const { picker } = props;
  if (!picker.picking) {
    return (
      <Button icon="target" onClick={() => picker.start()}>
        <span>
          Point<span className="rest"> at the page</span>
        </span>
      </Button>
    );
  }
  return (
    <Button
      icon="target"
      onClick={() => {
        picker.cancel();
        props.onCancel();
      }}
    >
      Stop pointing
    </Button>
  );
}
