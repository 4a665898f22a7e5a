import { type ReactElement, useLayoutEffect, useRef } from "react";

import { Button } from "./Button.tsx";

/**
 * Up and Down for a list item. Moving an element in the page loses the focus, so it is returned to
 * the pressed button; at the list's ends, a button does nothing but stays focusable.
 */
export function MoveButtons(props: {
  /** What is moved: "image 2". */
  noun: string;
  /** Its index in the whole list. */
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
