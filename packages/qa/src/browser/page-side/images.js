/* Images: their natural and their largest displayed size. */
import { isSeen, place } from "./place.js";

const noted = new Map();

/** Records the images when the page opens, before any is loaded early. */
export const noteImages = () => {
  for (const image of [...document.images].slice(0, 500)) {
    const { left, top } = image.getBoundingClientRect();
    noted.set(image, { top, left, lazy: image.loading === "lazy", width: 0, height: 0 });
  }
};

export const measureImages = () => {
  for (const [image, note] of noted) {
    if (!image.isConnected || !isSeen(image)) continue;
    const { width, height } = image.getBoundingClientRect();
    note.width = Math.max(note.width, width);
    note.height = Math.max(note.height, height);
  }
};

export const readImages = () =>
  [...noted]
    .filter(([image, note]) => image.isConnected && note.width > 0 && note.height > 0)
    .filter(([image]) => /^https?:/.test(image.currentSrc) && image.naturalWidth > 0)
    .slice(0, 300)
    .map(([image, note]) =>
      Object.assign(place(image), {
        url: image.currentSrc,
        natural: { width: image.naturalWidth, height: image.naturalHeight },
        rendered: { width: Math.round(note.width), height: Math.round(note.height) },
        top: Math.round(note.top),
        left: Math.round(note.left),
        lazy: note.lazy,
      }),
    );
