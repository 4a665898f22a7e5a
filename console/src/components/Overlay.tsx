import { type ReactElement, useEffect, useState, useSyncExternalStore } from "react";

import type { Command } from "../commands.ts";
import { useConsole } from "../context.ts";
import { DeskContext, useDesk, useDeskState } from "../hooks/useDesk.ts";
import { useDockWidth } from "../hooks/useDockWidth.ts";
import { useInertPage } from "../hooks/useInertPage.ts";
import { useMedia } from "../hooks/useMedia.ts";
import { useOverlayCommands } from "../hooks/useOverlayCommands.ts";
import { useOverlayKeys } from "../hooks/useOverlayKeys.ts";
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
import type { Diffs } from "./LogItem.tsx";
import { Palette } from "./Palette.tsx";
import { part } from "./part.tsx";
import type { CurrentRun } from "./RunPanel.tsx";

const PreviewFrame = part(async () => (await import("./OverlayPreview.tsx")).OverlayPreview);

/** The gap around the dock, in px. */
const gap = 12;

export interface OverlayProps {
  place: Place;
  opener: Switch;
  session: Session;
}

/** What lies over everything else. */
type What = "help" | "palette";

/** The pill shows while the console is closed; the next page continues as this one was. */
function usePill(place: Place, open: boolean, current: CurrentRun | null, expired: boolean): void {
  usePillLabel(place.pill, current, expired);
  useEffect(() => {
    place.pill.hidden = open;
    tabMemory.set("open", open ? "1" : "0");
  }, [open, place]);
}

/** Whether all diffs are to be open, and what turns that round. */
function useDiffs(): [Diffs, () => void] {
  const [diffs, setDiffs] = useState({ open: false, turn: 0 });
  return [diffs, () => setDiffs({ open: !diffs.open, turn: diffs.turn + 1 })];
}

/** The dock, the preview beside it, the palette and the list of keys. */
export function Overlay({ place, opener, session }: OverlayProps): ReactElement {
  const { path } = useConsole();
  const open = useSyncExternalStore(opener.subscribe, opener.isOpen);
  const narrow = useMedia("(max-width: 767.98px)");
  const [width, setWidth] = useDockWidth();
  const [current, setCurrent] = useState<CurrentRun | null>(null);
  const [over, setOver] = useState<What | null>(null);
  const [diffs, toggleDiffs] = useDiffs();
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
  const parts = { desk, picker, preview, current, place, toggleDiffs, close, show: setOver };
  const keys = useOverlayKeys(parts, open && over === null);
  const commands = useOverlayCommands(parts);
  return (
    <DeskContext value={desk}>
      <div
        {...(covers ? { role: "dialog", "aria-modal": true, "aria-label": "Console" } : {})}
        onKeyDown={(event) => keys.onKey(event.nativeEvent)}
      >
        {preview.url !== null && (
          <PreviewFrame
            preview={preview}
            url={preview.url}
            path={current?.pageUrl ?? path}
            inset={narrow ? 0 : width + 2 * gap}
            onKey={keys.onFrameKey}
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
          onHelp={() => setOver("help")}
          onClose={close}
        />
      </div>
      {over !== null && open && (
        <Over what={over} commands={commands} onClose={() => setOver(null)} />
      )}
    </DeskContext>
  );
}

/** What was asked for over the console. */
function Over(props: { what: What; commands: Command[]; onClose(): void }): ReactElement {
  const { showRun } = useDesk();
  if (props.what === "help") return <Help onClose={props.onClose} />;
  return <Palette open commands={props.commands} onRun={showRun} onClose={props.onClose} />;
}
