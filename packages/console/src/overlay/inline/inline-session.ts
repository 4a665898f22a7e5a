import { asApiError, type Client } from "../../api/client.ts";
import type { InlineAnswer, InlineEdit, UploadedMedia } from "../../api/types.ts";
import { type EditList, type KeptEdit, maxEdits, openEditList } from "./edit-list.ts";
import { type InlineApi, makeInlineApi } from "./inline-api.ts";
import { imageTarget, textNodes, textTarget } from "./page-text.ts";
import { editText, maxTexts, type Outcome, type TextField, type Typed } from "./text-field.ts";

type Found = Extract<InlineAnswer, { canEdit: true }>;

/** An edit whose text or image also occurs elsewhere. */
export interface Question {
  kept: KeptEdit;
  found: Found;
}

/** An image being described, and its replacement. */
export interface ImageDraft {
  image: HTMLImageElement;
  target: ReturnType<typeof imageTarget>;
  found: Found;
  media: UploadedMedia | null;
}

/** The current activity. */
export type View =
  | { kind: "rest" }
  | { kind: "wait"; what: string }
  | { kind: "typing" }
  | { kind: "question"; questions: readonly Question[]; element: HTMLElement }
  | { kind: "image"; draft: ImageDraft }
  | { kind: "refused"; reason: string; element: HTMLElement };

const rest: View = { kind: "rest" };
const noText = "There’s no text to edit here. Pick a heading, a paragraph, or another short text.";
const tooMany =
  "This part has too many texts to edit at once. Pick one of them, such as a paragraph.";
const full = `A preview can have at most ${maxEdits} changes. Build the preview first.`;

/** Focuses an element of the page, even one that isn't focusable. */
function focusElement(element: HTMLElement): void {
  if (!element.isConnected) return;
  const isFocusable = element.tabIndex >= 0;
  if (!isFocusable) {
    element.tabIndex = -1;
    element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  }
  element.focus({ preventScroll: true });
}

/** Uploads dropped files with the library's upload code. */
async function upload(client: Client, file: File): Promise<UploadedMedia> {
  const { sendFile } = await import("../../features/media/send-file.ts");
  const { signal } = new AbortController();
  const options = { file, alt: "", client, signal, onProgress: () => {} };
  return (await sendFile(options, { address: null, job: null })).media;
}

type Answers = ReadonlyMap<string, InlineAnswer>;

const keyOf = (target: ReturnType<typeof textTarget>): string => JSON.stringify(target);

export interface SessionDependencies {
  client: Client;
  /** The path of the page under the console. */
  page: string;
  announce(message: string): void;
  onTyping(isTyping: boolean): void;
}

/** Editing on one page: the current activity, and the waiting edits. */
export class InlineSession {
  readonly list: EditList;
  private view: View = rest;
  private field: TextField | null = null;
  /** Counts activities, so that responses to earlier ones are ignored. */
  private turn = 0;
  private readonly api: InlineApi;
  private readonly deps: SessionDependencies;
  private readonly listeners = new Set<() => void>();

  constructor(deps: SessionDependencies) {
    this.deps = deps;
    this.api = makeInlineApi(deps.client);
    this.list = openEditList(deps.page);
  }

  getView = (): View => this.view;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Lets the owner edit an element's texts, or describe an image. */
  async begin(element: HTMLElement): Promise<void> {
    const isImage = element instanceof HTMLImageElement;
    const mine = this.start(isImage ? "Finding this image…" : "Finding this text…");
    try {
      if (isImage) await this.beginImage(element, null, mine);
      else await this.beginText(element, mine);
    } catch (error) {
      if (this.turn === mine) this.refuse(asApiError(error).message, element);
    }
  }

  /** Replaces an image with a dropped or chosen file, once it is described. */
  async replaceImage(image: HTMLImageElement, file: File): Promise<void> {
    const mine = this.start(`Uploading ${file.name}…`);
    this.deps.announce(`Uploading ${file.name}…`);
    try {
      const media = await upload(this.deps.client, file);
      if (this.turn !== mine) return;
      if (media.kind === "video") {
        this.refuse("A video can’t replace an image here.", image);
      } else await this.beginImage(image, media, mine);
    } catch (error) {
      if (this.turn === mine) this.refuse(asApiError(error).message, image);
    }
  }

  describeImage({ image, target, found, media }: ImageDraft, alt: string): void {
    const edit: InlineEdit =
      media === null
        ? { kind: "alt", ...target, after: alt, scope: "here" }
        : { kind: "image", ...target, alt, mediaId: media.id, scope: "here" };
    this.settle([{ kept: { edit, src: media?.src ?? null }, found }], image);
    if (this.view.kind === "rest") focusElement(image);
  }

  /** Answers whether an edit applies here or everywhere. */
  answer(scope: InlineEdit["scope"]): void {
    const { view } = this;
    if (view.kind !== "question") return;
    const [question, ...questions] = view.questions;
    if (question) this.keep(question.kept, scope);
    this.show(questions.length === 0 ? rest : { ...view, questions });
    if (questions.length === 0) focusElement(view.element);
  }

  /** Cancels the current activity; the page is restored. */
  cancel(): void {
    const { view } = this;
    this.turn += 1;
    this.show(rest);
    if ("element" in view) focusElement(view.element);
    if (view.kind === "image") focusElement(view.draft.image);
  }

  /** Starts the run that makes the edits; returns its ID. */
  build(): Promise<string> {
    return this.api.build(this.list.items().map(({ edit }) => edit));
  }

  /** Shows the page as it is live; waiting edits stay stored. */
  close(): void {
    this.turn += 1;
    this.field?.end();
    this.field = null;
    this.list.close();
  }

  private show(view: View): void {
    this.view = view;
    for (const listener of this.listeners) listener();
  }

  private start(what: string): number {
    this.field?.end();
    this.turn += 1;
    this.deps.onTyping(true);
    this.show({ kind: "wait", what });
    return this.turn;
  }

  private refuse(reason: string, element: HTMLElement): void {
    this.show({ kind: "refused", reason, element });
    this.deps.announce(reason);
  }

  private keep(kept: KeptEdit, scope: InlineEdit["scope"]): void {
    this.list.add({ ...kept, edit: { ...kept.edit, scope } });
    const count = this.list.items().length;
    const waiting = count === 1 ? "1 change" : `${count} changes`;
    this.deps.announce(`Changed. ${waiting} ready to build.`);
  }

  /** Stores edits with a single occurrence and asks about the others. */
  private settle(all: readonly Question[], element: HTMLElement): void {
    if (this.list.items().length + all.length > maxEdits) return this.refuse(full, element);
    const isClear = ({ found }: Question) => found.places === 1 && found.isHereKnown;
    for (const { kept } of all.filter(isClear)) this.keep(kept, "here");
    const questions = all.filter((question) => !isClear(question));
    this.show(questions.length === 0 ? rest : { kind: "question", questions, element });
  }

  private async beginImage(
    image: HTMLImageElement,
    media: UploadedMedia | null,
    mine: number,
  ): Promise<void> {
    const target = imageTarget(image, this.deps.page);
    const found = await this.api.locate({ kind: media === null ? "alt" : "image", ...target });
    if (this.turn !== mine) return;
    if (found.canEdit) this.show({ kind: "image", draft: { image, target, found, media } });
    else this.refuse(found.reason, image);
  }

  private async beginText(element: HTMLElement, mine: number): Promise<void> {
    const { page, announce } = this.deps;
    const targets = textNodes(element).map((node) => textTarget(node, page));
    if (targets.length === 0) return this.refuse(noText, element);
    if (targets.length > maxTexts) return this.refuse(tooMany, element);
    const found = await Promise.all(targets.map((target) => this.api.locate(target)));
    if (this.turn !== mine || !element.isConnected) return;
    const [first] = found;
    if (first?.canEdit === false && found.every(({ canEdit }) => !canEdit)) {
      return this.refuse(first.reason, element);
    }
    const answers: Answers = new Map(
      targets.flatMap((target, at) => {
        const each = found[at];
        return each === undefined ? [] : [[keyOf(target), each]];
      }),
    );
    this.show({ kind: "typing" });
    announce("Editing text. Press Enter to save or Escape to cancel.");
    this.field = editText(element, page, (outcome, isByKeys) => {
      this.field = null;
      if (this.turn === mine) this.onEnd(outcome, answers, element);
      if (isByKeys && this.view.kind === "rest") focusElement(element);
    });
  }

  private onEnd(outcome: Outcome, answers: Answers, element: HTMLElement): void {
    if (outcome.kind === "refused") this.refuse(outcome.reason, element);
    else if (outcome.kind === "unchanged") this.show(rest);
    else this.onTyped(outcome.texts, answers, element);
  }

  private onTyped(typed: readonly Typed[], answers: Answers, element: HTMLElement): void {
    const all: Question[] = [];
    for (const { target, after } of typed) {
      const found = answers.get(keyOf(target));
      if (found === undefined || !found.canEdit) {
        return this.refuse(found?.reason ?? noText, element);
      }
      all.push({ kept: { edit: { ...target, after, scope: "here" }, src: null }, found });
    }
    this.settle(all, element);
  }
}
