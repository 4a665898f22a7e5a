import {
  type ReactElement,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from "react";

import type { Folds } from "../ui/Disclosure.tsx";
import { usePagePath } from "../api/context.tsx";
import type { EndedSession } from "../api/useSignIn.ts";
import type { FrameKey } from "../features/preview/frame-protocol.ts";
import { makePalette, type PaletteProps } from "../features/palette/Palette.tsx";
import type { Preview } from "../features/preview/preview.ts";
import { AppendInstruction } from "../features/runs/append-instruction.ts";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { tabStorage } from "../ui/storage.ts";
import { useMediaQuery } from "../ui/useMediaQuery.ts";
import { Dock } from "./Dock.tsx";
import { Help } from "./Help.tsx";
import type { MountPoint } from "./mount-point.ts";
import type { OverlayPaletteProps } from "./palette/OverlayPalette.tsx";
import type { OverlayParts } from "./palette/overlay-commands.ts";
import type { CurrentRun } from "./RunPanel.tsx";
import { type ConsoleNews, useConsoleNews } from "./useConsoleNews.ts";
import { ConsoleStateContext, useConsoleState, useConsoleStateValue } from "./useConsoleState.ts";
import { useDockWidth } from "./useDockWidth.ts";
import { useFocusReturn } from "./useFocusReturn.ts";
import { useInertPage } from "./useInertPage.ts";
import { useTyping } from "./useTyping.ts";
import { launcherState, useLauncherLabel } from "./useLauncherLabel.ts";
import { useOverlayKeys } from "./useOverlayKeys.ts";
import { usePageInset } from "./usePageInset.ts";
import { usePicking } from "./usePicking.ts";
import { usePreview } from "./usePreview.ts";
import type { VisibilityState } from "./visibility-state.ts";

const Background = lazyComponent(async () => (await import("./Background.tsx")).Background);
const PreviewFrame = lazyComponent(
  async () => (await import("./OverlayPreview.tsx")).OverlayPreview,
);
const Palette = makePalette<Omit<OverlayPaletteProps, keyof PaletteProps>>(
  async () => (await import("./palette/OverlayPalette.tsx")).OverlayPalette,
);

/** The gap around the dock, in px. */
const gap = 12;

export interface OverlayShellProps {
  place: MountPoint;
  opener: VisibilityState;
  ended: EndedSession | null;
}

/** What covers everything else. */
type What = "help" | "palette";

/**
 * The launcher is shown while the console is closed, and leads to what it reports; the next page
 * starts in the same state.
 */
function useLauncherButton(
  { place, opener, ended }: OverlayShellProps,
  open: boolean,
  current: CurrentRun | null,
  { counts, errors }: ConsoleNews,
): void {
  const { showTab } = useConsoleState();
  const announcement = launcherState(current, counts, errors);
  useLauncherLabel(place.launcher, announcement, ended !== null);
  const start = useEffectEvent(() => {
    if (opener.openedBy() === "pill" && announcement.tab !== null) showTab(announcement.tab);
    if (opener.openedBy() === "address") showTab("edit");
  });
  // Before it becomes visible, so that the focus is set in the right tab.
  useEffect(() => opener.subscribe(() => start()), [opener]);
  useEffect(() => {
    place.launcher.hidden = open;
    tabStorage.set("open", open ? "1" : "0");
  }, [open, place]);
}

/** Whether all diffs are expanded, and a function that toggles it. */
function useDiffs(): [Folds, () => void] {
  const [diffs, setDiffs] = useState({ open: false, turn: 0 });
  return [diffs, () => setDiffs({ open: !diffs.open, turn: diffs.turn + 1 })];
}

/** The overlay with what all its parts share. */
export function OverlayShell(props: OverlayShellProps): ReactElement {
  const { opener } = props;
  const open = useSyncExternalStore(opener.subscribe, opener.isOpen);
  const consoleState = useConsoleStateValue(opener.openedBy() === "address");
  return (
    <ConsoleStateContext value={consoleState}>
      <AppendInstruction value={consoleState.append}>
        <Panels {...props} open={open} />
      </AppendInstruction>
    </ConsoleStateContext>
  );
}

/** How the open console affects the page around it. */
function usePage(props: OverlayShellProps, open: boolean, covers: boolean, inset: number): void {
  usePageInset(open, inset);
  useInertPage(covers);
  useFocusReturn(open, props.place, props.opener);
}

/**
 * The Edit tab's run and the selected task's; while tasks are shown, the latter is the one that is
 * viewed and decided on.
 */
function useSubject() {
  const { tab } = useConsoleState();
  const [current, setCurrent] = useState<CurrentRun | null>(null);
  const [ofTask, setOfTask] = useState<CurrentRun | null>(null);
  return { current, setCurrent, setOfTask, subject: tab === "tasks" ? ofTask : current };
}

/** The dock, the preview next to it, the palette, and the list of keys. */
function Panels(props: OverlayShellProps & { open: boolean }): ReactElement {
  const { place, opener, ended, open } = props;
  const consoleState = useConsoleState();
  const narrow = useMediaQuery("(max-width: 767.98px)");
  const [width, setWidth] = useDockWidth();
  const { current, setCurrent, setOfTask, subject } = useSubject();
  const [over, setOver] = useState<What | null>(null);
  const typing = useTyping(open);
  const [diffs, toggleDiffs] = useDiffs();
  const preview = usePreview(place, open, subject, narrow);
  const picker = usePicking(place.root, preview.frame);
  const framed = preview.url !== null;
  // Nothing on the page under the console can be selected while it is covered.
  const aside = (picker.picking || (typing.isTyping && ended === null)) && !framed;
  const covers = open && (narrow || framed) && !aside;

  const announcement = useConsoleNews();
  useLauncherButton(props, open, current, announcement);
  const inset = narrow ? 0 : width + 2 * gap;
  usePage(props, open, covers, width + 2 * gap);
  const close = (): void => opener.set(false);
  const acts = { toggleDiffs, close, show: setOver };
  const parts = { consoleState, picker, preview, current: subject, place, ...acts };
  const behind = { root: place.root, isCovered: framed, isNarrow: narrow, inset, ...typing };
  const keys = useOverlayKeys(parts, open && over === null);
  return (
    <>
      <div
        {...(covers ? { role: "dialog", "aria-modal": true, "aria-label": "Console" } : {})}
        onKeyDown={(event) => keys.onKey(event.nativeEvent)}
      >
        <Framed
          preview={preview}
          page={subject?.pageUrl ?? null}
          inset={inset}
          onKey={keys.onFrameKey}
        />
        <Dock
          open={open && !(aside && narrow)}
          opener={opener}
          width={width}
          covered={framed && narrow}
          ended={ended}
          picker={picker}
          current={current}
          news={announcement}
          isLookedAt={preview.isLookedAt}
          previewed={framed ? (subject?.runId ?? null) : null}
          diffs={diffs}
          onResize={setWidth}
          onCurrent={setCurrent}
          onTaskRun={setOfTask}
          onPreview={preview.toggle}
          onHelp={() => setOver("help")}
          onClose={close}
        />
      </div>
      {open && <Background {...behind} />}
      {over !== null && open && <Over what={over} parts={parts} onClose={() => setOver(null)} />}
    </>
  );
}

/** The preview of the current subject, while it is requested. */
function Framed(props: {
  preview: Preview;
  page: string | null;
  inset: number;
  onKey(key: FrameKey): void;
}): ReactElement | null {
  const path = usePagePath();
  const { preview, page, inset, onKey } = props;
  const { url } = preview;
  if (url === null) return null;
  const at = page ?? path;
  return (
    <PreviewFrame key={url} preview={preview} url={url} path={at} inset={inset} onKey={onKey} />
  );
}

/** What was opened over the console. */
function Over(props: { what: What; parts: OverlayParts; onClose(): void }): ReactElement {
  const { openRun } = useConsoleState();
  if (props.what === "help") return <Help onClose={props.onClose} />;
  return <Palette parts={props.parts} onRun={openRun} onClose={props.onClose} />;
}
