import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import type { Picker } from "../usePicking.ts";

/** Lets the owner point at a part of the page, and ends that. */
export function PickButton(props: { picker: Picker; onCancel(): void }): ReactElement {
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
