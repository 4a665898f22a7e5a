import { type KeyboardEvent, type PointerEvent, type ReactElement, useRef, useState } from "react";

import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Select } from "../../ui/Select.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import {
  areaBetween,
  type CropArea,
  isWhole,
  largestArea,
  moveArea,
  resizeArea,
} from "./crop-area.ts";
import { areaSize, fileAddress } from "./Thumbnail.tsx";
import { useCrop } from "./useMedia.ts";

const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const shapes = [
  { value: "", label: "Free" },
  { value: "1", label: "Square" },
  { value: String(4 / 3), label: "4:3" },
  { value: String(3 / 2), label: "3:2" },
  { value: String(16 / 9), label: "16:9" },
] as const;

interface Size {
  width: number;
  height: number;
}

/** Narrower images look blurred on covers. */
const enoughPixels = 800;

/** The whole image with the area, which a pointer draws, and the arrow keys move and resize. */
function Area(props: {
  src: string;
  image: Size;
  area: CropArea;
  onChange(area: CropArea): void;
}): ReactElement {
  const { src, image, area, onChange } = props;
  const start = useRef<{ x: number; y: number } | null>(null);
  function pointOf(event: PointerEvent<HTMLElement>): { x: number; y: number } {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * image.width;
    return { x, y: ((event.clientY - box.top) / box.height) * image.height };
  }
  function onKeyDown(event: KeyboardEvent): void {
    const [x, y] = directions[event.key] ?? [];
    if (x === undefined || y === undefined) return;
    event.preventDefault();
    const by = { x: (x * image.width) / 100, y: (y * image.height) / 100 };
    onChange(event.shiftKey ? resizeArea(area, by, image) : moveArea(area, by, image));
  }
  const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;
  return (
    <button
      type="button"
      className="focal-area crop-area"
      style={areaSize(image)}
      aria-label="Area to keep"
      aria-describedby="crop-area"
      data-autofocus
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = pointOf(event);
      }}
      onPointerMove={(event) => {
        if (start.current) onChange(areaBetween(start.current, pointOf(event), image));
      }}
      onPointerUp={() => {
        start.current = null;
      }}
    >
      <img src={src} alt="" width={image.width} height={image.height} draggable={false} />
      <span
        className="crop-marker"
        style={{
          left: percent(area.x, image.width),
          top: percent(area.y, image.height),
          width: percent(area.width, image.width),
          height: percent(area.height, image.height),
        }}
      />
    </button>
  );
}

function describe({ x, y, width, height }: CropArea): string {
  const size = `${width} × ${height} pixels, ${x} from the left, ${y} from the top`;
  return width < enoughPixels ? `${size}. It may look blurred on large screens.` : size;
}

/** What is kept of an image, chosen by its shape, a pointer, or keys. */
function Choice(props: {
  item: ListedMedia;
  image: Size;
  area: CropArea;
  onChange(area: CropArea): void;
}): ReactElement {
  const { item, image, area, onChange } = props;
  const [shape, setShape] = useState("");
  return (
    <>
      <p className="muted">
        Drag over the part to keep. The arrow keys move the area, with Shift they resize it. You can
        restore the whole image later.
      </p>
      <Select
        label="Shape"
        value={shape}
        options={shapes}
        onChange={(value) => {
          setShape(value);
          if (value !== "") onChange(largestArea(Number(value), image));
        }}
      />
      <Area
        src={item.uncropped ? `/api/media/uncropped?id=${item.id}` : fileAddress(item.src)}
        image={image}
        area={area}
        onChange={(next) => {
          setShape("");
          onChange(next);
        }}
      />
      <p id="crop-area" aria-live="polite">
        {describe(area)}
      </p>
    </>
  );
}

/** Keeps a part of an image; the whole one can be shown again at any time. */
export function CropDialog(props: { item: ListedMedia; onClose(): void }): ReactElement {
  const { item, onClose } = props;
  const crop = useCrop(item);
  const image = item.uncropped?.media ?? { width: item.width, height: item.height };
  const whole = { x: 0, y: 0, width: image.width, height: image.height };
  const present = item.uncropped?.crop ?? whole;
  const [area, setArea] = useState(present);
  const save = (next: CropArea | null): void => crop.mutate(next, { onSuccess: onClose });
  const apply = (): void => {
    const isSame = JSON.stringify(area) === JSON.stringify(present);
    if (isSame) onClose();
    else save(isWhole(area, image) ? null : area);
  };
  return (
    <Dialog
      size="wide"
      title={`Crop “${item.originalName}”`}
      onClose={onClose}
      actions={
        <>
          {item.uncropped && (
            <Button disabled={crop.isPending} onClick={() => save(null)}>
              Restore whole image
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={crop.isPending} onClick={apply}>
            Crop image
          </Button>
        </>
      }
    >
      <Choice item={item} image={image} area={area} onChange={setArea} />
      <ErrorState what="Couldn’t crop the image." error={crop.error} />
    </Dialog>
  );
}
