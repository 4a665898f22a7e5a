import { type ReactElement, useEffect, useState, useSyncExternalStore } from "react";

import { useConsole } from "../context.ts";
import { useDesk } from "../hooks/useDesk.ts";
import { useDockWidth } from "../hooks/useDockWidth.ts";
import { useInertPage } from "../hooks/useInertPage.ts";
import { useKeys } from "../hooks/useKeys.ts";
import { useMedia } from "../hooks/useMedia.ts";
import { usePageInset } from "../hooks/usePageInset.ts";
import { usePicking } from "../hooks/usePicking.ts";
import { usePillLabel } from "../hooks/usePillLabel.ts";
import { usePreview } from "../hooks/usePreview.ts";
import { useReturnedFocus } from "../hooks/useReturnedFocus.ts";
import type { Session } from "../hooks/useSession.ts";
import type { Place } from "../place.ts";
import { tabMemory } from "../storage.ts";
import type { Switch } from "../switch.ts";
import { Dock } from "./Dock.tsx";
import { Help } from "./Help.tsx";
import { PreviewFrame } from "./PreviewFrame.tsx";
import type { CurrentRun } from "./RunPanel.tsx";

/** The gap around the dock, in px. */
const gap = 12;

export interface OverlayProps {
  place: Place;
  opener: Switch;
  session: Session;
}

/** The pill shows while the console is closed; the next page continues as this one was. */
function usePill(place: Place, open: boolean, current: CurrentRun | null, expired: boolean): void {
  usePillLabel(place.pill, current, expired);
  useEffect(() => {
    place.pill.hidden = open;
    tabMemory.set("open", open ? "1" : "0");
  }, [open, place]);
}

/** The dock, the preview beside it and the list of keys. */
export function Overlay({ place, opener, session }: OverlayProps): ReactElement {
  const { path } = useConsole();
  const open = useSyncExternalStore(opener.subscribe, opener.isOpen);
  const narrow = useMedia("(max-width: 767.98px)");
  const [width, setWidth] = useDockWidth();
  const [current, setCurrent] = useState<CurrentRun | null>(null);
  const [help, setHelp] = useState(false);
  const [diffs, setDiffs] = useState({ open: false, turn: 0 });
  const desk = useDesk();
  const picker = usePicking();
  const preview = usePreview(place, open, current);
  const framed = preview.url !== null;
  const covers = open && (narrow || framed);

  usePill(place, open, current, session.expired);
  usePageInset(open, width + 2 * gap);
  useInertPage(covers);
  useReturnedFocus(open, place, opener);

  const close = (): void => opener.set(false);
  const keys = {
    p: preview.toggle,
    d: () => setDiffs({ open: !diffs.open, turn: diffs.turn + 1 }),
    "1": () => preview.setDevice("phone"),
    "2": () => preview.setDevice("tablet"),
    "3": () => preview.setDevice("full"),
    "?": () => setHelp(true),
  };
  const onKey = useKeys(open && !help, keys, () => (framed ? preview.close() : close()));
  return (
    <>
      <div
        {...(covers ? { role: "dialog", "aria-modal": true, "aria-label": "Console" } : {})}
        onKeyDown={(event) => onKey(event.nativeEvent)}
      >
        {preview.url !== null && (
          <PreviewFrame
            previewUrl={preview.url}
            path={current?.pageUrl ?? path}
            device={preview.device}
            inset={narrow ? 0 : width + 2 * gap}
            onDevice={preview.setDevice}
            onClose={preview.close}
          />
        )}
        <Dock
          open={open}
          opener={opener}
          width={width}
          covered={framed && narrow}
          session={session}
          desk={desk}
          picker={picker}
          current={current}
          diffs={diffs}
          onResize={setWidth}
          onCurrent={setCurrent}
          onPreview={preview.toggle}
          onHelp={() => setHelp(true)}
          onClose={close}
        />
      </div>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}
