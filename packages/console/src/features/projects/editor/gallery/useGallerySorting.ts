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
  draggable:
    "Space picks the picture up, the arrow keys move it, Space puts it down, Escape puts it back.",
};

function announcements(slots: readonly Slot[]): Announcements {
  const place = (id: string | number): number => indexOfKey(slots, String(id)) + 1;
  return {
    onDragStart: ({ active }) => `Picture ${place(active.id)} is picked up.`,
    onDragOver: ({ over }) =>
      over ? `It would be ${place(over.id)} of ${slots.length}.` : "It is outside the gallery.",
    onDragEnd: ({ over }) =>
      over ? `The picture is now ${place(over.id)} of ${slots.length}.` : "Nothing was moved.",
    onDragCancel: ({ active }) => `Put back at ${place(active.id)}.`,
  };
}

/** What drag and drop of the gallery needs: pointer and keyboard, said in words. */
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
