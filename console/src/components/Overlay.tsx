import {
  type ReactElement,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import { useConsole } from "../context.ts";
import type { FrameKey } from "../frame/protocol.ts";
import { DeskContext, useDeskState } from "../hooks/useDesk.ts";
import { useDockWidth } from "../hooks/useDockWidth.ts";
import { useInertPage } from "../hooks/useInertPage.ts";
import { useKeys } from "../hooks/useKeys.ts";
import { useMedia } from "../hooks/useMedia.ts";
import { useOverlayCommands } from "../hooks/useOverlayCommands.ts";
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
import { Palette } from "./Palette.tsx";
import { PreviewFrame } from "./PreviewFrame.tsx";
import type { CurrentRun } from "./RunPanel.tsx";

/** The gap around the dock, in px. */
const gap = 12;

export interface OverlayProps {
  place: Place;
  opener: Switch;
  session: Session;
}

/** What lies over everything else. */
type Over = "help" | "palette" | null;

/** The pill shows while the console is closed; the next page continues as this one was. */
function usePill(place: Place, open: boolean, current: CurrentRun | null, expired: boolean): void {
  usePillLabel(place.pill, current, expired);
  useEffect(() => {
    place.pill.hidden = open;
    tabMemory.set("open", open ? "1" : "0");
  }, [open, place]);
}

/** The dock, the preview beside it, the palette and the list of keys. */
export function Overlay({ place, opener, session }: OverlayProps): ReactElement {
  const { path } = useConsole();
  const open = useSyncExternalStore(opener.subscribe, opener.isOpen);
  const narrow = useMedia("(max-width: 767.98px)");
  const [width, setWidth] = useDockWidth();
  const [current, setCurrent] = useState<CurrentRun | null>(null);
  const [over, setOver] = useState<Over>(null);
  const [diffs, setDiffs] = useState({ open: false, turn: 0 });
  const desk = useDeskState();
  const preview = usePreview(place, open, current);
  const picker = usePicking(place.root, preview.frame);
  const framed = preview.url !== null;
  // On the page under the console nothing can be pointed at while that is covered.
  const aside = picker.picking && !framed;
  const covers = open && (narrow || framed) && !aside;

  usePill(place, open, current, session.expired);
  usePageInset(open, width + 2 * gap);
  useInertPage(covers);
  useReturnedFocus(open, place, opener);

  const close = (): void => opener.set(false);
  const toggleDiffs = (): void => setDiffs({ open: !diffs.open, turn: diffs.turn + 1 });
  const help = (): void => setOver("help");
  const keys = {
    "mod+k": () => setOver("palette"),
    "mod+shift+c": () => picker.start(),
    p: preview.toggle,
    d: toggleDiffs,
    "1": () => preview.setDevice("phone"),
    "2": () => preview.setDevice("tablet"),
    "3": () => preview.setDevice("full"),
    "?": help,
  };
  const leave = (): void => (picker.picking ? picker.cancel() : framed ? preview.close() : close());
  const onKey = useKeys(open && over === null, keys, leave);
  const latest = useRef({ keys, leave });
  latest.current = { keys, leave };
  const onFrameKey = useCallback((key: FrameKey): void => {
    if (key === "Escape") latest.current.leave();
    else latest.current.keys[key]();
  }, []);
  const commands = useOverlayCommands({ desk, picker, preview, current, toggleDiffs, help, close });
  return (
    <DeskContext value={desk}>
      <div
        {...(covers ? { role: "dialog", "aria-modal": true, "aria-label": "Console" } : {})}
        onKeyDown={(event) => onKey(event.nativeEvent)}
      >
        {preview.url !== null && (
          <PreviewFrame
            preview={preview}
            url={preview.url}
            path={current?.pageUrl ?? path}
            inset={narrow ? 0 : width + 2 * gap}
            onKey={onFrameKey}
          />
        )}
        <Dock
          open={open && !(aside && narrow)}
          opener={opener}
          width={width}
          covered={framed && narrow}
          session={session}
          picker={picker}
          current={current}
          previewed={framed}
          diffs={diffs}
          onResize={setWidth}
          onCurrent={setCurrent}
          onPreview={preview.toggle}
          onHelp={help}
          onClose={close}
        />
      </div>
      <Palette
        open={open && over === "palette"}
        commands={commands}
        onRun={desk.showRun}
        onClose={() => setOver(null)}
      />
      {over === "help" && <Help onClose={() => setOver(null)} />}
    </DeskContext>
  );
}
