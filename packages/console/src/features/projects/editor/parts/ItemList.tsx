import { Fragment, type ReactElement, type ReactNode, type RefObject, useRef } from "react";

import { useAnnounce } from "../../../../api/context.tsx";
import { Button } from "../../../../ui/Button.tsx";
import { MoveButtons } from "../../../../ui/MoveButtons.tsx";
import type { EditorState } from "../editor-types.ts";
import { hasContent, type ListItems, type ListName, type Lists } from "../form.ts";
import { indexOfKey } from "../keyed-list.ts";
import type { SectionProps } from "./section-props.ts";
import { controlOf, useFocusNext } from "./useFocusNext.ts";

export interface Items<L extends ListName> {
  /** What an item is called: "Image". */
  noun: string;
  all: readonly ListItems[L][];
  list: RefObject<HTMLOListElement | null>;
  /** The button that adds an item, which gets the focus when the last one is removed. */
  addButton: RefObject<HTMLButtonElement | null>;
  /** The last removed item if it was in this list. */
  removed: EditorState["removed"];
  /** Moves without an announcement: dragging has its own. */
  put(key: string, to: number): void;
  move(key: string, to: number): void;
  remove(key: string, index: number): void;
  restore(): void;
  /** Focuses an item's first control after rendering. */
  focusOn(key: string): void;
}

/** A list of the form: actions on its items, with announcements and focus. */
export function useItems<L extends ListName>(
  { state, dispatch }: SectionProps,
  name: L,
  noun: string,
): Items<L> {
  const announce = useAnnounce();
  const focusNext = useFocusNext();
  const list = useRef<HTMLOListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const lists: Lists = state.form;
  const all: readonly ListItems[L][] = lists[name];
  const removed = state.removed?.list === name ? state.removed : null;
  const focusOn = (key: string): void => focusNext(() => controlOf(list.current, key));
  const put = (key: string, to: number): void => dispatch({ type: "move", list: name, key, to });
  return {
    noun,
    all,
    list,
    addButton: adder,
    removed,
    focusOn,
    put,
    move(key, to) {
      put(key, to);
      announce(`${noun} ${indexOfKey(all, key) + 1} is now ${to + 1} of ${all.length}.`);
    },
    remove(key, index) {
      const item = all[index];
      const next = all[index + 1] ?? all[index - 1];
      const undo = item !== undefined && hasContent(item);
      dispatch({ type: "remove", list: name, key });
      announce(`${noun} ${index + 1} removed.${undo ? " You can undo this." : ""}`);
      focusNext(
        () =>
          (undo ? list.current?.querySelector<HTMLElement>(".removed button") : null) ??
          controlOf(list.current, next?.key) ??
          adder.current,
      );
    },
    restore() {
      if (removed === null) return;
      dispatch({ type: "bringBack" });
      announce(`${noun} ${removed.index + 1} restored.`);
      focusOn(removed.item.key);
    },
  };
}

/** The items in order; an Undo button replaces the one removed last. */
export function ItemList<L extends ListName>(props: {
  of: Items<L>;
  label: string;
  children(item: ListItems[L], index: number): ReactElement;
}): ReactElement | null {
  const { all, list, removed, noun, restore } = props.of;
  if (all.length === 0 && removed === null) return null;
  const way = removed && (
    <li className="item removed">
      <span>{noun} removed.</span>
      <Button label={`Undo: restore ${noun.toLowerCase()} ${removed.index + 1}`} onClick={restore}>
        Undo
      </Button>
    </li>
  );
  const at = Math.min(removed?.index ?? 0, all.length);
  return (
    <ol ref={list} className="items" aria-label={props.label}>
      {all.map((item, index) => (
        <Fragment key={item.key}>
          {index === at && way}
          {props.children(item, index)}
        </Fragment>
      ))}
      {at === all.length && way}
    </ol>
  );
}

/** Up, Down, and Remove for an item, and further actions. */
export function ItemActions<L extends ListName>(props: {
  of: Items<L>;
  itemKey: string;
  index: number;
  /** Its name if its position isn't enough. */
  noun?: string;
  /** Replaces the default removal. */
  onRemove?(): void;
  children?: ReactNode;
}): ReactElement {
  const { of: items, itemKey: key, index } = props;
  const noun = props.noun ?? `${items.noun.toLowerCase()} ${index + 1}`;
  return (
    <div className="item-actions">
      <MoveButtons
        noun={noun}
        index={index}
        count={items.all.length}
        onMove={(to) => items.move(key, to)}
      />
      {props.children}
      <Button
        icon="trash"
        label={`Remove ${noun}`}
        onClick={props.onRemove ?? (() => items.remove(key, index))}
      />
    </div>
  );
}

/** The button that adds an item, as long as the limit allows. */
export function AddItem<L extends ListName>(props: {
  of: Items<L>;
  /** The maximum number of items. */
  max: number;
  children: ReactNode;
  onAdd(): void;
}): ReactElement {
  const { of: items, max } = props;
  const isFull = items.all.length >= max;
  return (
    <div className="actions">
      <Button ref={items.addButton} icon="add" disabled={isFull} onClick={props.onAdd}>
        {props.children}
      </Button>
      {isFull && <span className="hint">The limit is {max}.</span>}
    </div>
  );
}
