import { useEffect, useRef, useState } from "react";

import { type FrameLink, frameMessages } from "./frame-protocol.ts";
import { makeSentPaths } from "./sent-paths.ts";

/** A page's scroll position with the heights of the page and the viewport, in px. */
interface ScrollPlace {
  top: number;
  height: number;
  view: number;
}

/** How long scrolling of a frame is attributed to the console after it scrolled it, in ms. */
const echo = 250;

interface Frames {
  preview: HTMLIFrameElement | null;
  live: HTMLIFrameElement | null;
  /** The page that the live frame was navigated to. */
  sent: string | null;
}

/** Keeps two frames at the same position: the one that the user scrolls leads. */
export function useCompareSync(
  { preview, live, sent }: Frames,
  path: string,
  onPath: (path: string) => void,
): void {
  const latest = useRef({ path, onPath });
  latest.current = { path, onPath };
  const [paths] = useState(makeSentPaths);
  useEffect(() => {
    if (sent !== null) paths.send(sent);
  }, [paths, sent]);
  useEffect(() => {
    if (preview === null || live === null) return;
    const links = new Map<HTMLIFrameElement, FrameLink>();
    const led = new Map<HTMLIFrameElement, number>();
    let place: ScrollPlace | null = null;
    function lead(frame: HTMLIFrameElement, to: ScrollPlace): void {
      led.set(frame, performance.now() + echo);
      links.get(frame)?.send({ kind: "scroll", top: to.top, height: to.height, view: to.view });
    }
    function follow(
      frame: HTMLIFrameElement,
      other: HTMLIFrameElement,
      ready: (path: string) => void,
    ) {
      const link = frameMessages(frame, {
        ready: (message) => ready(message.path),
        scrolled: ({ top, height, view }) => {
          if (performance.now() < (led.get(frame) ?? 0)) return;
          place = { top, height, view };
          lead(other, place);
        },
      });
      links.set(frame, link);
    }
    follow(preview, live, () => {});
    follow(live, preview, (at) => {
      const wasSent = paths.arrive(at);
      if (at !== latest.current.path) {
        if (!wasSent) latest.current.onPath(at);
      } else if (place !== null) lead(live, place);
    });
    return () => {
      for (const link of links.values()) link.close();
    };
  }, [preview, live, paths]);
}
