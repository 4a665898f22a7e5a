import {
  type RefObject,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import { asApiError } from "../../api/client.ts";
import { useAnnounce, useClient, usePagePath } from "../../api/context.tsx";
import type { InlineAnswer, InlineEdit, UploadedMedia } from "../../api/types.ts";
import { type KeptEdit, maxEdits, openEditList } from "./edit-list.ts";
import { makeInlineApi } from "./inline-api.ts";
import { editableAt, listenToPage } from "./page-events.ts";
import { imageTarget, textNodes, textTarget } from "./page-text.ts";
import { editText, maxTexts, type Outcome, type TextField, type Typed } from "./text-field.ts";

type Found = Extract<InlineAnswer, { canEdit: true }>;

/** An edit whose same text or image stands in other places as well. */
export interface Question {
  kept: KeptEdit;
  found: Found;
}

/** An image that is being described, and the one that takes its place. */
export interface ImageDraft {
  image: HTMLImageElement;
  target: ReturnType<typeof imageTarget>;
  found: Found;
  media: UploadedMedia | null;
}

/** What the owner is at. */
export type View =
  | { kind: "rest" }
  | { kind: "wait"; what: string }
  | { kind: "typing" }
  | { kind: "question"; questions: readonly Question[]; element: HTMLElement }
  | { kind: "image"; draft: ImageDraft }
  | { kind: "refused"; reason: string; element: HTMLElement };

const rest: View = { kind: "rest" };
const noText =
  "There is no text here that can be typed over. Pick a heading, a paragraph or another short text.";
const tooMany =
  "There are too many texts in this part to edit them together. Pick one of them, such as a paragraph.";
const full = `${maxEdits} changes are the most for one preview. Build the preview first.`;

/** Gives an element of the page the focus, also one that can't have it otherwise. */
function focusElement(element: HTMLElement): void {
  if (!element.isConnected) return;
  const isFocusable = element.tabIndex >= 0;
  if (!isFocusable) {
    element.tabIndex = -1;
    element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  }
  element.focus({ preventScroll: true });
}

/** Uploads what was dropped, with what the library sends files with. */
async function upload(client: ReturnType<typeof useClient>, file: File): Promise<UploadedMedia> {
  const { sendFile } = await import("../../features/media/send-file.ts");
  const { signal } = new AbortController();
  const options = { file, alt: "", client, signal, onProgress: () => {} };
  return (await sendFile(options, { address: null, job: null })).media;
}

export interface InlineOptions {
  root: ShadowRoot;
  /** What was double-clicked before this listened. */
  clicked: RefObject<EventTarget | null>;
  /** Typing has begun: what covers the page has to go. */
  onBegin(): void;
}

/** Typing on the page: what is at hand, the edits that wait, and what can be done with them. */
export function useInline({ root, clicked, onBegin }: InlineOptions) {
  const client = useClient();
  const page = usePagePath();
  const announce = useAnnounce();
  const api = useMemo(() => makeInlineApi(client), [client]);
  const list = useMemo(() => openEditList(page), [page]);
  const items = useSyncExternalStore(list.subscribe, list.items);
  // Closed, the console leaves the page as it is live.
  useEffect(() => list.close, [list]);
  const [view, setView] = useState<View>(rest);
  const [over, setOver] = useState<HTMLImageElement | null>(null);
  const field = useRef<TextField | null>(null);
  /** Counts what was begun: an answer to something earlier comes too late. */
  const turn = useRef(0);

  function refuse(reason: string, element: HTMLElement): void {
    setView({ kind: "refused", reason, element });
    announce(reason);
  }
  function keep(kept: KeptEdit, scope: InlineEdit["scope"]): void {
    list.add({ ...kept, edit: { ...kept.edit, scope } });
    const count = list.items().length;
    announce(`Changed. ${count === 1 ? "1 change waits" : `${count} changes wait`} to be built.`);
  }
  /** Keeps what stands in one place, and asks about the rest. */
  function settle(all: readonly Question[], element: HTMLElement): void {
    if (list.items().length + all.length > maxEdits) return refuse(full, element);
    const isClear = ({ found }: Question) => found.places === 1 && found.isHereKnown;
    for (const { kept } of all.filter(isClear)) keep(kept, "here");
    const questions = all.filter((question) => !isClear(question));
    setView(questions.length === 0 ? rest : { kind: "question", questions, element });
  }
  function onTyped(typed: readonly Typed[], answers: Answers, element: HTMLElement): void {
    const all: Question[] = [];
    for (const { target, after } of typed) {
      const found = answers.get(keyOf(target));
      if (found === undefined || !found.canEdit) return refuse(found?.reason ?? noText, element);
      all.push({ kept: { edit: { ...target, after, scope: "here" }, src: null }, found });
    }
    settle(all, element);
  }
  async function begin(element: HTMLElement): Promise<void> {
    field.current?.end();
    const mine = (turn.current += 1);
    onBegin();
    setView({ kind: "wait", what: "Looking where this is written…" });
    try {
      if (element instanceof HTMLImageElement) await beginImage(element, null, mine);
      else await beginText(element, mine);
    } catch (error) {
      if (turn.current === mine) refuse(asApiError(error).message, element);
    }
  }
  async function beginText(element: HTMLElement, mine: number): Promise<void> {
    const targets = textNodes(element).map((node) => textTarget(node, page));
    if (targets.length === 0) return refuse(noText, element);
    if (targets.length > maxTexts) return refuse(tooMany, element);
    const found = await Promise.all(targets.map((target) => api.locate(target)));
    if (turn.current !== mine || !element.isConnected) return;
    const [first] = found;
    if (first?.canEdit === false && found.every(({ canEdit }) => !canEdit)) {
      return refuse(first.reason, element);
    }
    const answers: Answers = new Map(
      targets.flatMap((target, at) => {
        const each = found[at];
        return each === undefined ? [] : [[keyOf(target), each]];
      }),
    );
    setView({ kind: "typing" });
    announce("Editing text. Enter saves, Escape cancels.");
    field.current = editText(element, page, (outcome, isByKeys) => {
      field.current = null;
      if (turn.current === mine) onEnd(outcome, answers, element);
      if (isByKeys && outcome.kind !== "refused") focusElement(element);
    });
  }
  function onEnd(outcome: Outcome, answers: Answers, element: HTMLElement): void {
    if (outcome.kind === "refused") return refuse(outcome.reason, element);
    if (outcome.kind === "unchanged") return setView(rest);
    onTyped(outcome.texts, answers, element);
  }
  async function beginImage(
    image: HTMLImageElement,
    media: UploadedMedia | null,
    mine: number,
  ): Promise<void> {
    const target = imageTarget(image, page);
    const found = await api.locate({ kind: media === null ? "alt" : "image", ...target });
    if (turn.current !== mine) return;
    if (!found.canEdit) return refuse(found.reason, image);
    setView({ kind: "image", draft: { image, target, found, media } });
  }
  /** Puts a dropped or chosen file in the place of an image. */
  async function replaceImage(image: HTMLImageElement, file: File): Promise<void> {
    const mine = (turn.current += 1);
    onBegin();
    setView({ kind: "wait", what: `Uploading ${file.name}…` });
    announce(`Uploading ${file.name}…`);
    try {
      const media = await upload(client, file);
      if (turn.current !== mine) return;
      if (media.kind === "video")
        return refuse("A video can’t take the place of an image here.", image);
      await beginImage(image, media, mine);
    } catch (error) {
      if (turn.current === mine) refuse(asApiError(error).message, image);
    }
  }
  function describeImage({ image, target, found, media }: ImageDraft, alt: string): void {
    const edit: InlineEdit =
      media === null
        ? { kind: "alt", ...target, after: alt, scope: "here" }
        : { kind: "image", ...target, alt, mediaId: media.id, scope: "here" };
    settle([{ kept: { edit, src: media?.src ?? null }, found }], image);
    focusElement(image);
  }
  function answer(scope: InlineEdit["scope"]): void {
    if (view.kind !== "question") return;
    const [question, ...questions] = view.questions;
    if (question) keep(question.kept, scope);
    setView(questions.length === 0 ? rest : { ...view, questions });
    if (questions.length === 0) focusElement(view.element);
  }
  function cancel(): void {
    turn.current += 1;
    if ("element" in view) focusElement(view.element);
    if (view.kind === "image") focusElement(view.draft.image);
    setView(rest);
  }

  const onEdit = useEffectEvent((element: HTMLElement) => void begin(element));
  const onDrop = useEffectEvent(
    (image: HTMLImageElement, file: File) => void replaceImage(image, file),
  );
  useEffect(() => {
    // From now on a double click types.
    root.host.toggleAttribute("data-editing", true);
    const early = editableAt(clicked.current);
    if (early !== null) onEdit(early);
    const events = { host: root.host, onEdit: (e: HTMLElement) => onEdit(e), onOver: setOver };
    const stop = listenToPage({ ...events, onDrop: (image, file) => onDrop(image, file) });
    // The picker asks for it with F2 or its button.
    const onPicked = (event: Event): void => {
      const { detail } = event as CustomEvent<unknown>;
      if (detail instanceof HTMLElement) onEdit(detail);
    };
    root.addEventListener("vitrine-type", onPicked);
    return () => {
      stop();
      root.removeEventListener("vitrine-type", onPicked);
      root.host.removeAttribute("data-editing");
      field.current?.end();
      field.current = null;
      clicked.current = null;
    };
  }, [root, clicked]);
  return { api, list, items, view, over, answer, cancel, describeImage, replaceImage };
}

type Answers = ReadonlyMap<string, InlineAnswer>;

const keyOf = (target: ReturnType<typeof textTarget>): string => JSON.stringify(target);
