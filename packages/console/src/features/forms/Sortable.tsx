import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import type { CSSProperties, ReactElement, ReactNode } from "react";

import { Icon } from "../../ui/Icon.tsx";
import { useMediaQuery } from "../../ui/useMediaQuery.ts";

interface SortableProps {
  /** What is sorted, in its order, with its name. */
  items: readonly { id: UniqueIdentifier; name: string }[];
  /** How many stand before these in the whole list; none unless told. */
  before?: number;
  onMove(move: { from: number; to: number }): void;
  children: ReactNode;
}

/** What is said while something is dragged with the keyboard. */
function announcementsFor({ items, before = 0 }: SortableProps): Announcements {
  const name = (id: UniqueIdentifier): string => items.find((item) => item.id === id)?.name ?? "It";
  const place = (id: UniqueIdentifier): number =>
    before + items.findIndex((item) => item.id === id) + 1;
  return {
    onDragStart: ({ active }) => `${name(active.id)} picked up.`,
    onDragOver: ({ active, over }) =>
      over ? `${name(active.id)} is over position ${place(over.id)}.` : undefined,
    onDragEnd: ({ active }) => `${name(active.id)} dropped.`,
    onDragCancel: ({ active }) => `${name(active.id)} returned to its place.`,
  };
}

/** Rows that are put in order by mouse, by touch and by keys; each takes `useSortableRow`. */
export function Sortable(props: SortableProps): ReactElement {
  const { items, onMove } = props;
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 180, tolerance: 8 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const onDragEnd = ({ active, over }: DragEndEvent): void => {
    const from = items.findIndex((item) => item.id === active.id);
    const to = items.findIndex((item) => item.id === over?.id);
    if (from !== -1 && to !== -1 && from !== to) onMove({ from, to });
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{
        announcements: announcementsFor(props),
        screenReaderInstructions: {
          draggable: "Press Space to pick up or drop, arrow keys to move, Escape to cancel.",
        },
      }}
    >
      <SortableContext items={items.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        {props.children}
      </SortableContext>
    </DndContext>
  );
}

/** What the element of a row needs to be dragged, and the button that it is dragged by. */
export function useSortableRow(
  id: UniqueIdentifier,
  name: string,
): {
  row: { ref(element: HTMLElement | null): void; "data-dragging": boolean; style: CSSProperties };
  grip: ReactElement;
} {
  const still = useMediaQuery("(prefers-reduced-motion: reduce)");
  const sortable = useSortable({ id, ...(still && { transition: null }) });
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, isDragging } = sortable;
  return {
    row: {
      ref: setNodeRef,
      "data-dragging": isDragging,
      style: {
        transform: CSS.Translate.toString(sortable.transform),
        transition: sortable.transition,
      },
    },
    grip: (
      <button
        ref={setActivatorNodeRef}
        type="button"
        className="grip"
        {...attributes}
        {...listeners}
        aria-label={`Drag ${name}`}
      >
        <Icon name="grip" />
      </button>
    ),
  };
}
