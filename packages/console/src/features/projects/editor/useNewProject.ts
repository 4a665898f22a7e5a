import { useEffect, useEffectEvent, useState } from "react";

import { useAnnounce } from "../../../api/context.tsx";
import { formatCount } from "../../../ui/format.ts";
import { browserStorage } from "../../../ui/storage.ts";
import { changesOf } from "./changes.ts";
import {
  type Built,
  builtValues,
  saveBuilt,
  loadBuilt,
  toBuilt,
  textBefore,
} from "./design/built.ts";
import { findFlags, joinBrief } from "./design/flags.ts";
import { useBuild } from "./design/useBuild.ts";
import type { EditorState } from "./editor-types.ts";
import { placeErrors } from "./errors.ts";
import { filledSlots, toValues } from "./form.ts";
import { type Gallery, useGallery } from "./gallery/useGallery.ts";
import { builtProject, checkNew, emptyProject, newProject } from "./new-project.ts";
import { type Create, editorAddress, type NewValues, useCreate } from "./useCreate.ts";
import { type Dispatch, useEditorState } from "./useEditorState.ts";
import { useLeaveGuard } from "./useLeaveGuard.ts";
import { type StoredDrafts, useStoredDraft } from "./useStoredDraft.ts";
import { bounds } from "./validate.ts";

/** An action that waits until all uploads are done. */
export type PendingAction = "save" | "build" | "draft" | "published";

/** The built page, if any; stored in this browser like the fields. */
function useBuilt(): [Built | null, (built: Built | null) => void] {
  const [built, setBuilt] = useState<Built | null>(null);
  return [
    built,
    (next) => {
      saveBuilt(browserStorage, next);
      setBuilt(next);
    },
  ];
}

/** Restores what was written here before a reload; returns whether it did. */
export function useRestored(
  drafts: StoredDrafts,
  state: () => EditorState,
  dispatch: Dispatch,
  onBuilt: (built: Built | null) => void,
): [boolean, () => void] {
  const [restored, setRestored] = useState(false);
  const restore = useEffectEvent(() => {
    const [draft] = drafts.offered;
    if (!draft) return onBuilt(null);
    dispatch({ type: "takeDraft", draft });
    drafts.settle(draft.id);
    setRestored(true);
    const built = loadBuilt(browserStorage);
    if (built) onBuilt({ ...built, flags: findFlags(state().form, built.flags) });
  });
  useEffect(() => restore(), []);
  return [
    restored,
    () => {
      dispatch({ type: "open", project: emptyProject });
      onBuilt(null);
      setRestored(false);
    },
  ];
}

/** Waits for uploads, then runs the pending action. */
export function usePendingAction(gallery: Gallery, work: (wish: PendingAction) => void) {
  const [waiting, setWaiting] = useState<PendingAction | null>(null);
  const act = useEffectEvent(work);
  const { busy } = gallery.uploads;
  useEffect(() => {
    if (waiting === null || busy) return;
    setWaiting(null);
    act(waiting);
  }, [waiting, busy]);
  return { waiting, start: setWaiting, stop: () => setWaiting(null) };
}

/** Converts the server's paths for a build to those of the project. */
function asFields(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([path, message]) => [
      path.replace(/^media\.(\d+)$/, "gallery.$1.src"),
      message,
    ]),
  );
}

function unfinished(state: EditorState): string[] {
  const failed = state.form.gallery.filter((slot) => slot.upload !== null).length;
  return failed > 0 ? [`${formatCount(failed, "upload")} failed. Retry or remove it.`] : [];
}

/** Builds the page from the form. */
function useBuilding(
  latest: () => EditorState,
  dispatch: Dispatch,
  create: Create,
  onBuilt: (built: Built) => void,
) {
  const build = useBuild();
  const announce = useAnnounce();
  const buildErrors = build.error?.fields;
  const place = useEffectEvent((fields: Readonly<Record<string, string>>) => {
    const { errors, other } = placeErrors(latest().form, asFields(fields));
    if (Object.keys(fields).length > 0) create.refuse(errors, other, "build");
  });
  useEffect(() => {
    if (buildErrors) place(buildErrors);
  }, [buildErrors]);
  async function start(): Promise<void> {
    const { form, known } = latest();
    const brief = joinBrief(form);
    const errors = { ...checkNew(form) };
    const isEmpty = brief === "" && form.gallery.length === 0;
    if (isEmpty) errors["brief"] = "Add a few words or images to build from.";
    if (brief.length > bounds.brief) {
      errors["body"] =
        `Text and prompt together can’t exceed ${bounds.brief.toLocaleString("en")} characters.`;
    }
    const other = unfinished(latest());
    if (Object.keys(errors).length > 0 || other.length > 0) {
      return create.refuse(errors, other, "build");
    }
    const mine = toValues(form);
    const { name, reelUrl } = mine;
    const media = filledSlots(form).flatMap(({ src }) => known[src]?.id ?? []);
    const [category] = mine.categories;
    const response = await build.start({
      name,
      brief,
      reelUrl,
      media,
      ...(category !== undefined && { category }),
    });
    if (response === null) return;
    dispatch({ type: "fill", values: builtValues(response, mine) });
    onBuilt(toBuilt(response, latest().form, textBefore(mine)));
    announce("The page is ready.");
  }
  return { build, start };
}

/** The state of the page, and its actions. */
export function useNewProject() {
  const { state, latest, dispatch } = useEditorState(emptyProject);
  const gallery = useGallery(latest, dispatch, null);
  const drafts = useStoredDraft(state, latest);
  const [built, setBuilt] = useBuilt();
  const unsaved = Object.keys(changesOf(state.base, state.form)).length > 0;
  const guard = useLeaveGuard(unsaved || gallery.failed > 0);
  const create = useCreate(latest, dispatch);
  const building = useBuilding(latest, dispatch, create, setBuilt);

  async function save(values: NewValues): Promise<boolean> {
    const errors = checkNew(latest().form);
    const other = unfinished(latest());
    if (Object.keys(errors).length > 0 || other.length > 0) {
      create.refuse(errors, other, "create");
      return false;
    }
    const made = await create.create(values);
    if (made === null) return false;
    saveBuilt(browserStorage, null);
    drafts.forget();
    guard.go(editorAddress(made.id));
    return true;
  }
  function wish(what: PendingAction): void {
    const { form } = latest();
    if (what === "build") void building.start();
    else if (what === "save") void save(newProject(form));
    else void save({ ...builtProject(form), status: what });
  }
  return {
    state,
    latest,
    dispatch,
    gallery,
    drafts,
    guard,
    create,
    building,
    built,
    setBuilt,
    wish,
  };
}
