import {
  type ReactElement,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";

import type { Api } from "../api.ts";
import { ConsoleContext } from "../context.ts";
import { useInertPage } from "../hooks/useInertPage.ts";
import { useKeys } from "../hooks/useKeys.ts";
import { useMedia } from "../hooks/useMedia.ts";
import { usePageInset } from "../hooks/usePageInset.ts";
import { useReturnedFocus } from "../hooks/useReturnedFocus.ts";
import { useSession } from "../hooks/useSession.ts";
import type { Place } from "../loader.ts";
import { browserMemory, tabMemory } from "../storage.ts";
import type { Switch } from "../switch.ts";
import { isOpen, statusWord } from "../words.ts";
import { Dock } from "./Dock.tsx";
import { clampWidth, defaultWidth } from "./dock-width.ts";
import { Help } from "./Help.tsx";
import { PreviewFrame } from "./PreviewFrame.tsx";
import type { Device } from "./preview-address.ts";
import type { CurrentRun } from "./RunPanel.tsx";

/** The gap around the dock, in px. */
const gap = 12;

/** Says the state of the run in the pill, while there is something to say. */
function usePillLabel(pill: HTMLButtonElement, current: CurrentRun | null, expired: boolean): void {
  useEffect(() => {
    const status =
      current && (isOpen(current.status) || current.status === "failed") ? current.status : null;
    pill.textContent = expired ? "Sign in again" : status ? statusWord(status) : "Console";
    pill.ariaLabel = `Open the console${status ? `: ${statusWord(status)}` : ""}`;
    pill.dataset.status = status ?? "";
  }, [pill, current, expired]);
}

/** The whole overlay: the dock, and the preview beside it. */
export function App(props: { place: Place; opener: Switch; api: Api }): ReactElement {
  const { place, opener } = props;
  const open = useSyncExternalStore(opener.subscribe, opener.isOpen);
  const session = useSession(props.api);
  const [width, setWidth] = useState(() =>
    clampWidth(Number(browserMemory.get("width") ?? defaultWidth)),
  );
  const [current, setCurrent] = useState<CurrentRun | null>(null);
  const [previewing, setPreviewing] = useState(false);
  const [device, setDevice] = useState<Device>("full");
  const [help, setHelp] = useState(false);
  const [diffs, setDiffs] = useState({ open: false, turn: 0 });
  const narrow = useMedia("(max-width: 767.98px)");
  const path = location.pathname;

  const previewUrl = current?.status === "preview_ready" ? current.previewUrl : null;
  const framed = open && previewing && previewUrl !== null;
  useEffect(() => {
    if (previewUrl === null) setPreviewing(false);
  }, [previewUrl]);
  useEffect(() => {
    place.pill.hidden = open;
    tabMemory.set("open", open ? "1" : "0");
  }, [open, place]);
  usePillLabel(place.pill, current, session.expired);
  usePageInset(open, width + 2 * gap);
  useInertPage(open && (narrow || framed));
  useReturnedFocus(open, place);

  const close = useCallback(() => opener.set(false), [opener]);
  const closePreview = useCallback((): void => {
    setPreviewing(false);
    place.root.querySelector<HTMLElement>(".bar .button")?.focus();
  }, [place]);
  const resize = useCallback((next: number): void => {
    const clamped = clampWidth(next);
    setWidth(clamped);
    browserMemory.set("width", `${clamped}`);
  }, []);
  const onKey = useKeys(
    open && !help,
    {
      p: () => setPreviewing(!previewing),
      d: () => setDiffs({ open: !diffs.open, turn: diffs.turn + 1 }),
      "1": () => setDevice("phone"),
      "2": () => setDevice("tablet"),
      "3": () => setDevice("full"),
      "?": () => setHelp(true),
    },
    () => (framed ? closePreview() : close()),
  );
  const value = useMemo(
    () => ({ api: props.api, path, epoch: session.epoch, expire: session.expire }),
    [props.api, path, session.epoch, session.expire],
  );

  return (
    <ConsoleContext value={value}>
      <div onKeyDown={(event) => onKey(event.nativeEvent)}>
        {framed && (
          <PreviewFrame
            previewUrl={previewUrl}
            path={current?.pageUrl ?? path}
            device={device}
            inset={narrow ? 0 : width + 2 * gap}
            onDevice={setDevice}
            onClose={closePreview}
          />
        )}
        <Dock
          open={open}
          opener={opener}
          width={width}
          covered={framed && narrow}
          session={session}
          status={current?.status ?? null}
          onResize={resize}
          onCurrent={setCurrent}
          onPreview={() => setPreviewing(!previewing)}
          diffs={diffs}
          onHelp={() => setHelp(true)}
          onClose={close}
        />
      </div>
      {help && <Help onClose={() => setHelp(false)} />}
    </ConsoleContext>
  );
}
