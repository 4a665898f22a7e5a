import { useState } from "react";

import type { Draft, DraftBody } from "../../../../../../server/src/features/design/schema.ts";
import { asApiError, type ApiError } from "../../../../api/client.ts";
import { useAnnounce, useClient } from "../../../../api/context.tsx";
import type { EditorState } from "../editor-types.ts";
import { clean, type Values } from "../form.ts";
import type { Dispatch } from "../useEditorState.ts";
import { type PlacedFlag, joinBrief } from "./flags.ts";

type Texts = Pick<Values, "summary" | "lede" | "body">;
const fields = ["summary", "lede", "body"] as const;

export interface DraftTexts {
  busy: boolean;
  error: ApiError | null;
  /** Drafts for fields that already have content. */
  offered: Partial<Texts> | null;
  /** What drafts have replaced, until the next draft. */
  replaced: Partial<Texts> | null;
  outline: boolean;
  flags: readonly PlacedFlag[];
  /** Confirms content that isn't in the brief. */
  keep(flag: PlacedFlag): void;
  draft(): Promise<void>;
  replace(): void;
  dismiss(): void;
  undo(): void;
}

type State = Pick<DraftTexts, "error" | "offered" | "replaced" | "outline" | "flags">;
const none: State = { error: null, offered: null, replaced: null, outline: false, flags: [] };

function some(texts: Partial<Texts>): Partial<Texts> | null {
  return Object.keys(texts).length === 0 ? null : texts;
}

function askFor({ form, base }: EditorState): Partial<DraftBody> {
  const kind = clean(form.kind);
  return {
    name: clean(form.name),
    // The server knows a stored project's text; for a new one it is the description.
    brief: base.id > 0 ? clean(form.brief) : joinBrief(form),
    ...(kind !== "" && { kind }),
    ...(base.id > 0 && { projectId: base.id }),
  };
}

/**
 * Drafts summary, lede, and text. Empty fields are filled; others are replaced if the owner agrees,
 * and can be restored.
 */
export function useDraftTexts(latest: () => EditorState, dispatch: Dispatch): DraftTexts {
  const client = useClient();
  const announce = useAnnounce();
  const [busy, setBusy] = useState(false);
  const [state, setState] = useState<State>(none);

  const now = (): Texts => {
    const { summary, lede, body } = latest().form;
    return { summary, lede, body };
  };
  const fill = (texts: Partial<Texts>): void => dispatch({ type: "fill", values: texts });

  function take({ outline, flags, ...draft }: Draft): void {
    const before = now();
    const filled = fields.filter((field) => clean(draft[field]) !== "");
    const empty = filled.filter((field) => clean(before[field]) === "");
    const full = filled.filter((field) => !empty.includes(field) && before[field] !== draft[field]);
    const of = (names: readonly (keyof Texts)[]): Partial<Texts> =>
      Object.fromEntries(names.map((name) => [name, draft[name]]));
    fill(of(empty));
    const replaced = some(Object.fromEntries(empty.map((name) => [name, before[name]])));
    setState({ ...none, outline, flags, offered: some(of(full)), replaced });
    announce(
      full.length > 0
        ? "Drafted. Some fields already have text. Choose which to keep."
        : "Drafted.",
    );
  }

  return {
    ...state,
    busy,
    async draft() {
      if (busy) return;
      setBusy(true);
      setState(none);
      try {
        take(await client.post<Draft>("/devconsole/draft", askFor(latest())));
      } catch (cause) {
        setState({ ...none, error: asApiError(cause) });
      } finally {
        setBusy(false);
      }
    },
    replace() {
      const before = now();
      const offered = state.offered ?? {};
      fill(offered);
      const names = Object.keys(offered) as (keyof Texts)[];
      const kept = Object.fromEntries(names.map((name) => [name, before[name]]));
      setState({ ...state, offered: null, replaced: { ...state.replaced, ...kept } });
      announce("Replaced. Choose Undo to restore your text.");
    },
    keep: (flag) => setState({ ...state, flags: state.flags.filter((other) => other !== flag) }),
    dismiss: () => setState({ ...state, offered: null }),
    undo() {
      fill(state.replaced ?? {});
      setState(none);
      announce("Your text is restored.");
    },
  };
}
