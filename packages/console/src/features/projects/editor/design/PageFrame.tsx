import { type ReactElement, useEffect, useRef, useState } from "react";

import { useSize } from "../../../../ui/useSize.ts";
import { type FrameLink, frameMessages } from "../../../preview/frame-protocol.ts";
import { type Device, devices, scaleToFit } from "../../../preview/preview-url.ts";
import type { ScrollPosition } from "../../../preview/scroll-position.ts";

export interface PageTexts {
  /** A text on the page was clicked. */
  onText(key: string, text: string): void;
  /** A text on the page was edited. */
  onEdited(key: string, text: string): void;
}

interface FrameProps extends PageTexts {
  address: string;
  shown: boolean;
  size: { width: string | number; height: string | number; transform?: string };
  place: { current: ScrollPosition | null };
  onReady(): void;
}

/** One build of the page. Its scripts run with an opaque origin, without the session. */
function Frame(props: FrameProps): ReactElement {
  const iframe = useRef<HTMLIFrameElement>(null);
  const current = useRef(props);
  current.current = props;
  useEffect(() => {
    if (iframe.current === null) return;
    let link: FrameLink | null = null;
    link = frameMessages(iframe.current, {
      ready() {
        link?.send({ kind: "edit", on: true });
        const { place } = current.current;
        if (place.current) link?.send({ kind: "scroll", ...place.current });
        current.current.onReady();
      },
      scrolled: ({ top, height, view }) => {
        if (current.current.shown) current.current.place.current = { top, height, view };
      },
      text: ({ key, text }) => current.current.onText(key, text),
      edited: ({ key, text }) => current.current.onEdited(key, text),
    });
    return () => link?.close();
  }, []);
  return (
    <iframe
      ref={iframe}
      title={props.shown ? "The page" : "The page being built"}
      src={props.address}
      sandbox="allow-scripts"
      className={props.shown ? undefined : "coming"}
      aria-hidden={!props.shown}
      tabIndex={props.shown ? 0 : -1}
      style={props.size}
      onLoad={props.onReady}
    />
  );
}

/**
 * The page at a device's size. A new build loads behind the current one and replaces it, scrolled
 * to the same position, when it is ready.
 */
export function PageFrame(
  props: PageTexts & { address: string; device: Device; busy: boolean },
): ReactElement {
  const { address } = props;
  const [stage, room] = useSize();
  const [shown, setShown] = useState(address);
  const place = useRef<ScrollPosition | null>(null);
  const { width, height } = devices[props.device];
  const scale = scaleToFit(props.device, room.width, room.height);
  const isFull = width === null;
  const size = isFull
    ? { width: "100%", height: "100%" }
    : { width, height, transform: `scale(${scale})` };
  const builds = shown === address ? [address] : [shown, address];
  return (
    <div className="page-stage" data-device={props.device} ref={stage} aria-busy={props.busy}>
      <div
        className="page-fit"
        style={
          isFull
            ? { width: "100%", height: "100%" }
            : { width: width * scale, height: height * scale }
        }
      >
        {builds.map((build) => (
          <Frame
            {...props}
            key={build}
            address={build}
            shown={build === shown}
            size={size}
            place={place}
            onReady={() => build === address && setShown(address)}
          />
        ))}
      </div>
    </div>
  );
}
