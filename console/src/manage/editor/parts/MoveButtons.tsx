import { type ReactElement, useLayoutEffect, useRef } from "react";

import { Button } from "../../components/Button.tsx";
import { useAnnounce } from "../../context.tsx";

/**
 * Up and Down of an item of a list. Moving an element in the page takes the focus from it, so it is
 * given back to the button that was pressed, or to the other one at the list's end.
 */
export function MoveButtons(props: {
  /** What is moved: "Picture 2". */
  noun: string;
  index: number;
  count: number;
  onMove(to: number): void;
}): ReactElement {
  const { noun, index, count } = props;
  const announce = useAnnounce();
  const up = useRef<HTMLButtonElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const pressed = useRef<"up" | "down" | null>(null);

  useLayoutEffect(() => {
    if (pressed.current === null) return;
    const [same, other] = pressed.current === "up" ? [up, down] : [down, up];
    pressed.current = null;
    (same.current?.disabled ? other : same).current?.focus();
  }, [index]);

  function move(direction: "up" | "down"): void {
    const to = index + (direction === "up" ? -1 : 1);
    pressed.current = direction;
    props.onMove(to);
    announce(`${noun} is now ${to + 1} of ${count}.`);
  }
  return (
    <>
      <Button
        ref={up}
        icon="up"
        label={`Move ${noun} up`}
        disabled={index === 0}
        onClick={() => move("up")}
      />
      <Button
        ref={down}
        icon="down"
        label={`Move ${noun} down`}
        disabled={index === count - 1}
        onClick={() => move("down")}
      />
    </>
  );
}
