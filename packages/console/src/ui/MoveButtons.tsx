import { type ReactElement, useLayoutEffect, useRef } from "react";

import { Button } from "./Button.tsx";

/**
 * Up and Down of an item of a list. Moving an element in the page takes the focus from it, so it is
 * given back to the button that was pressed; at the list's ends a button does nothing, but stays
 * where the focus can be.
 */
export function MoveButtons(props: {
  /** What is moved: "picture 2". */
  noun: string;
  /** Its place in the whole list, from 0. */
  index: number;
  count: number;
  onMove(to: number): void;
}): ReactElement {
  const { noun, index, count } = props;
  const up = useRef<HTMLButtonElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const pressed = useRef<typeof up>(null);

  useLayoutEffect(() => {
    pressed.current?.current?.focus();
    pressed.current = null;
  }, [index]);

  function move(button: typeof up, step: 1 | -1): void {
    pressed.current = button;
    props.onMove(index + step);
  }
  return (
    <>
      <Button
        ref={up}
        icon="up"
        label={`Move ${noun} up`}
        inert={index === 0}
        onClick={() => move(up, -1)}
      />
      <Button
        ref={down}
        icon="down"
        label={`Move ${noun} down`}
        inert={index === count - 1}
        onClick={() => move(down, 1)}
      />
    </>
  );
}
