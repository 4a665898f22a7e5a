import { type KeyboardEvent, type PointerEvent, type ReactElement, useRef, useState } from "react";

import { Icon } from "../../ui/Icon.tsx";

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -2,
  ArrowDown: -2,
  ArrowRight: 2,
  ArrowUp: 2,
  PageDown: -10,
  PageUp: 10,
  Home: -100,
  End: 100,
};

const within = (value: number): number => Math.min(100, Math.max(0, Math.round(value)));

/**
 * The slider between the live site on its left and the preview on its right, for dragging and keys.
 */
export function CompareSlider(): ReactElement {
  const [at, setAt] = useState(50);
  const slider = useRef<HTMLDivElement>(null);

  function move(next: number): void {
    const value = within(next);
    setAt(value);
    slider.current?.parentElement?.style.setProperty("--at", `${value}%`);
  }
  /**
   * While dragging, the frames ignore the pointer, because frames in other processes would capture
   * it.
   */
  function drag(on: boolean): void {
    slider.current?.parentElement?.classList.toggle("dragging", on);
  }
  function onPointer(event: PointerEvent<HTMLDivElement>): void {
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    move(((event.clientX - box.left) / box.width) * 100);
  }
  function onKey(event: KeyboardEvent): void {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(at + step);
  }
  return (
    <>
      <span className="side left" aria-hidden="true" hidden={at < 15}>
        Live
      </span>
      <span className="side right" aria-hidden="true" hidden={at > 85}>
        Preview
      </span>
      <div
        ref={slider}
        className="slider"
        role="slider"
        aria-label="Divider between the live page (left) and the preview (right)"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={at}
        aria-valuetext={`${at}% live, ${100 - at}% preview`}
        tabIndex={0}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag(true);
        }}
        onPointerMove={onPointer}
        onLostPointerCapture={() => drag(false)}
      >
        <Icon name="across" />
      </div>
    </>
  );
}
