import { type KeyboardEvent, type MouseEvent, type ReactElement, useState } from "react";

import type { ListedMedia, MediaItem } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { areaSize, fileAddress, positionOf } from "./Thumbnail.tsx";
import { useSaveFocalPoint } from "./useMedia.ts";

type FocalPoint = MediaItem["focalPoint"];

const center: FocalPoint = { x: 50, y: 50 };
const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const percent = (value: number): number => Math.min(100, Math.max(0, Math.round(value)));
const describe = ({ x, y }: FocalPoint): string => `${x}% from the left, ${y}% from the top`;

/** The image with its point, which a click sets and the arrow keys move; with Shift, by 10 %. */
function Area(props: {
  item: ListedMedia;
  point: FocalPoint;
  onChange(point: FocalPoint): void;
}): ReactElement {
  const { item, point, onChange } = props;
  function onClick(event: MouseEvent<HTMLButtonElement>): void {
    // A click by the keyboard has no position.
    if (event.detail === 0) return;
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const x = percent(((event.clientX - left) / width) * 100);
    onChange({ x, y: percent(((event.clientY - top) / height) * 100) });
  }
  function onKeyDown(event: KeyboardEvent): void {
    const [x, y] = directions[event.key] ?? [];
    if (x === undefined || y === undefined) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1;
    onChange({ x: percent(point.x + x * step), y: percent(point.y + y * step) });
  }
  return (
    <button
      type="button"
      className="focal-area"
      style={areaSize(item)}
      aria-label={`Focal point of ${item.originalName}`}
      aria-describedby="focal-point"
      data-autofocus
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <img src={fileAddress(item.src)} alt="" width={item.width} height={item.height} />
      <span className="focal-marker" style={{ left: `${point.x}%`, top: `${point.y}%` }} />
    </button>
  );
}

/** Sets what stays visible where an image is cut, such as a project's cover. */
export function FocalPointDialog(props: { item: ListedMedia; onClose(): void }): ReactElement {
  const { item, onClose } = props;
  const save = useSaveFocalPoint(item);
  const [point, setPoint] = useState(item.focalPoint);
  const isUnchanged = point.x === item.focalPoint.x && point.y === item.focalPoint.y;
  return (
    <Dialog
      size="wide"
      title={`Focal point of “${item.originalName}”`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setPoint(center)}>Center</Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={save.isPending}
            onClick={() => {
              if (isUnchanged) onClose();
              else save.mutate(point, { onSuccess: onClose });
            }}
          >
            Save focal point
          </Button>
        </>
      }
    >
      <p className="muted">
        Select what stays visible where the image is cropped, such as on covers. The arrow keys move
        the point by 1%, or with Shift by 10%.
      </p>
      <div className="focal">
        <Area item={item} point={point} onChange={setPoint} />
        <figure className="focal-preview">
          <img
            src={fileAddress(item.src)}
            alt=""
            width={item.width}
            height={item.height}
            style={{ objectPosition: positionOf(point) }}
          />
          <figcaption className="muted">As a cover</figcaption>
        </figure>
      </div>
      <p id="focal-point" aria-live="polite">
        {describe(point)}
      </p>
      <ErrorState what="Couldn’t save the focal point." error={save.error} />
    </Dialog>
  );
}
