import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useRef,
  useState,
} from "react";

import { Icon } from "./Icon.tsx";

const gap = 4;

/** Positions the list below its button, or above it without enough room, within the window. */
function place(list: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = at.bottom + gap;
  const top = below + height > innerHeight - 8 ? at.top - gap - height : below;
  list.style.top = `${Math.max(8, top)}px`;
  list.style.left = `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`;
}

/** Further actions behind a button; the arrow keys move between them, Esc closes it. */
export function Menu(props: {
  /** The button's name. */
  label: string;
  /** The button's text. */
  text?: string;
  children: (close: () => void) => ReactNode;
}): ReactElement {
  const id = useId();
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => list.current?.hidePopover();

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = [...(list.current?.querySelectorAll<HTMLElement>("button, a") ?? [])];
    const from = items.indexOf(document.activeElement as HTMLElement);
    items.at((Math.max(from, step === 1 ? -1 : 0) + step) % items.length)?.focus();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="button"
        popoverTarget={id}
        aria-label={props.label}
        aria-expanded={open}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          list.current?.showPopover();
          list.current?.querySelector<HTMLElement>("button, a")?.focus();
        }}
      >
        {props.text ?? "More"}
        <Icon name="more" />
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu"
        role="group"
        aria-label={props.label}
        onKeyDown={onKeyDown}
        onToggle={(event) => {
          setOpen(event.newState === "open");
          if (event.newState === "open" && list.current && button.current) {
            place(list.current, button.current);
          }
        }}
      >
        {props.children(close)}
      </div>
    </>
  );
}
