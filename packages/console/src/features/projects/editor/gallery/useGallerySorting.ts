import {
  type Announcements,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  type ScreenReaderInstructions,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { sortableKeyboardCoordinates } from "@dnd-kit/sortable";

import type { Slot } from "../form.ts";
import { indexOfKey } from "../keyed-list.ts";

const instructions: ScreenReaderInstructions = {
  draggable: "Press Space to pick up or drop the image, arrow keys to move it, Escape to cancel.",
};

function announcements(slots: readonly Slot[]): Announcements {
  const place = (id: string | number): number => indexOfKey(slots, String(id)) + 1;
  return {
    onDragStart: ({ active }) => `Image ${place(active.id)} picked up.`,
    onDragOver: ({ over }) =>
      over ? `Position ${place(over.id)} of ${slots.length}.` : "Outside the gallery.",
    onDragEnd: ({ over }) =>
      over ? `The image is now ${place(over.id)} of ${slots.length}.` : "Nothing moved.",
    onDragCancel: ({ active }) => `Returned to position ${place(active.id)}.`,
  };
}

/** Drag and drop for the gallery, with pointer and keyboard, and announcements. */
export function useGallerySorting(
  slots: readonly Slot[],
  onMove: (key: string, to: number) => void,
) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  return {
    sensors,
    accessibility: {
      announcements: announcements(slots),
      screenReaderInstructions: instructions,
    },
    onDragEnd({ active, over }: DragEndEvent): void {
      if (!over || over.id === active.id) return;
      onMove(String(active.id), indexOfKey(slots, String(over.id)));
    },
  };
}
