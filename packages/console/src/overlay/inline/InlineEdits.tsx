import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";

import { usePagePath } from "../../api/context.tsx";
import type { InlineEdit } from "../../api/types.ts";
import { type Action, useAction } from "../../api/useAction.ts";
import { RefusalNotice } from "../../features/errors/RefusalNotice.tsx";
import { pickedElement } from "../../features/picker/element.ts";
import { Button } from "../../ui/Button.tsx";
import { FileButton } from "../../ui/FileButton.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { TextInput } from "../../ui/TextInput.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import type { Typing } from "../useTyping.ts";
import css from "./inline.css?inline";
import type { ImageDraft, Question } from "./inline-session.ts";
import { useInline } from "./useInline.ts";

export interface InlineEditsProps extends Typing {
  root: ShadowRoot;
  /** Whether the preview covers the page. */
  isCovered: boolean;
  /** Whether the console covers the page outside of editing, as on a phone. */
  isNarrow: boolean;
  /** How much of the page's width the console covers, in px. */
  inset: number;
}

const short = (text: string): string => {
  const line = plainText(text);
  return line.length > 40 ? `${line.slice(0, 39).trimEnd()}…` : line;
};

/** The label of an edit. */
function labelOf(edit: InlineEdit): string {
  if (edit.kind === "text") return `“${short(edit.before)}” → “${short(edit.after)}”`;
  return edit.kind === "alt" ? `Alt text: “${short(edit.after)}”` : "Another image";
}

const countLabel = (count: number): string => (count === 1 ? "1 change" : `${count} changes`);

/** Lets the owner edit on the page, and shows the edits that wait to be built. */
export function InlineEdits(props: InlineEditsProps): ReactElement | null {
  const { root, clicked, isCovered, isNarrow, isTyping, inset, onTyping } = props;
  const isAlone = isNarrow && isTyping;
  const inline = useInline({ root, clicked, onTyping });
  const action = useAction();
  const { items, view, over } = inline;
  if (isCovered) return null;
  if (isNarrow && !isTyping) {
    return <Folded count={items.length} error={action.error} onOpen={() => onTyping(true)} />;
  }
  const isShown = items.length > 0 || isAlone || view.kind !== "rest";
  return (
    <>
      <style>{css}</style>
      {over !== null && <DropTarget image={over} />}
      {isShown && (
        <section
          className="inline"
          aria-label="Changes on the page"
          style={{ "--beside": `${inset}px` } as object}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || view.kind === "rest") return;
            event.stopPropagation();
            inline.session.cancel();
          }}
        >
          <Now inline={inline} onTyping={onTyping} />
          <Waiting inline={inline} action={action} isAlone={isAlone} onTyping={onTyping} />
        </section>
      )}
    </>
  );
}

/** On a phone, the console covers the page, so a button over it shows the waiting edits. */
function Folded(props: {
  count: number;
  error: Action["error"];
  onOpen(): void;
}): ReactElement | null {
  const { count, error, onOpen } = props;
  if (count === 0) return null;
  return (
    <div className="inline folded">
      <style>{css}</style>
      <Button variant="small" onClick={onOpen}>
        {countLabel(count)} on the page{error && " can’t be built"}
      </Button>
    </div>
  );
}

type Inline = ReturnType<typeof useInline>;

/** The current edit, and what it asks. */
function Now({ inline, onTyping }: { inline: Inline; onTyping(on: boolean): void }): ReactNode {
  const { view } = inline;
  switch (view.kind) {
    case "rest":
      return null;
    case "wait":
      return <p className="quiet">{view.what}</p>;
    case "typing":
      return <p className="quiet">Press Enter to save or Escape to cancel.</p>;
    case "question": {
      const [question] = view.questions;
      return question && <Choice key={labelOf(question.kept.edit)} {...question} inline={inline} />;
    }
    case "image":
      return <ImageForm key={view.draft.target.src} draft={view.draft} inline={inline} />;
    case "refused":
      return <Refused {...view} inline={inline} onTyping={onTyping} />;
  }
}

/** The first button of a question gets the focus. */
function useFirstFocus() {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return first;
}

/** The same text occurs elsewhere: change it here or everywhere. */
function Choice({ kept, found, inline }: Question & { inline: Inline }): ReactElement {
  const first = useFirstFocus();
  const { edit } = kept;
  const what = edit.kind === "text" ? `“${short(edit.before)}”` : "This image";
  const where = found.places === 2 && edit.kind === "alt" ? "several" : found.places;
  return (
    <div role="group" aria-label="Here or everywhere?">
      <p>
        {what} appears in {where} places on the site.{" "}
        {found.isHereKnown
          ? "Change it here or everywhere?"
          : "Vitrine can’t tell which one this is."}
      </p>
      <div className="actions">
        {found.isHereKnown && (
          <Button ref={first} onClick={() => inline.session.answer("here")}>
            Only here
          </Button>
        )}
        <Button
          {...(found.isHereKnown ? {} : { ref: first })}
          onClick={() => inline.session.answer("everywhere")}
        >
          Everywhere
        </Button>
        <Button variant="bare" onClick={() => inline.session.cancel()}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** An image's alt text, and its replacement. */
function ImageForm({ draft, inline }: { draft: ImageDraft; inline: Inline }): ReactElement {
  const { image, media } = draft;
  const [alt, setAlt] = useState(media === null ? image.alt : media.alt);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const isUnchanged = alt.trim() === "" || (media === null && alt.trim() === image.alt);
  return (
    <form
      className="image-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isUnchanged) inline.session.describeImage(draft, alt.trim());
      }}
    >
      <TextInput
        ref={input}
        label="Alt text"
        hint="What the image shows, for people who can’t see it."
        value={alt}
        maxLength={500}
        onChange={setAlt}
      />
      <div className="actions">
        <Button type="submit" inert={isUnchanged}>
          {media === null ? "Save text" : "Replace image"}
        </Button>
        {media === null && (
          <FileButton
            icon="attach"
            field="Another image"
            accept="image/*,.heic,.heif"
            multiple={false}
            onFiles={([file]) => file && void inline.session.replaceImage(image, file)}
          >
            Replace image…
          </FileButton>
        )}
        <Button variant="bare" onClick={() => inline.session.cancel()}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Why something can't be edited here, and where it can. */
function Refused(props: {
  reason: string;
  element: HTMLElement;
  inline: Inline;
  onTyping(on: boolean): void;
}): ReactElement {
  const { reason, element, inline, onTyping } = props;
  const first = useFirstFocus();
  const page = usePagePath();
  const { draft, compose } = useConsoleState();
  return (
    <div role="group" aria-label="Can’t be edited here">
      <p>{plainText(reason)}</p>
      <div className="actions">
        <Button
          ref={first}
          onClick={() => {
            inline.session.cancel();
            onTyping(false);
            const picked = pickedElement(element, page);
            if (picked !== null) draft.addElement(picked);
            compose();
          }}
        >
          Describe the change
        </Button>
        <Button variant="bare" onClick={() => inline.session.cancel()}>
          Close
        </Button>
      </div>
    </div>
  );
}

/** The edits that an error names. */
function refusedBy(error: Action["error"]): number[] {
  return Object.keys(error?.fields ?? {}).flatMap((name) => {
    const [, index] = /^edits\.(\d+)/.exec(name) ?? [];
    return index === undefined ? [] : [Number(index)];
  });
}

/** Waiting edits and their actions. */
function Waiting(props: {
  inline: Inline;
  action: Action;
  isAlone: boolean;
  onTyping(on: boolean): void;
}): ReactElement {
  const { inline, action, isAlone, onTyping } = props;
  const { items, session } = inline;
  const { list } = session;
  const { showRun } = useConsoleState();
  const refused = refusedBy(action.error).filter((index) => index < items.length);
  function build(): void {
    onTyping(false);
    action.perform("build", async () => {
      const runId = await session.build();
      list.clear();
      showRun(runId);
    });
  }
  return (
    <>
      {action.error && items.length > 0 && (
        <RefusalNotice error={action.error} note="Your changes are kept.">
          {refused.length > 0 && (
            <Button variant="small" onClick={() => list.remove(new Set(refused))}>
              Remove changes that can’t be made
            </Button>
          )}
        </RefusalNotice>
      )}
      {refused.map((index) => {
        const kept = items[index];
        return kept && <p key={index}>{labelOf(kept.edit)}</p>;
      })}
      <div className="actions">
        <span className="count">
          {items.length === 0 ? "Edit the page" : countLabel(items.length)}
        </span>
        {items.length > 0 && (
          <>
            <Button onClick={list.undo}>Undo</Button>
            <Button onClick={list.clear}>Discard</Button>
            <Button variant="primary" busy={action.pending !== null} onClick={build}>
              Build preview
            </Button>
          </>
        )}
        {isAlone && <Button onClick={() => onTyping(false)}>Back to the console</Button>}
      </div>
    </>
  );
}

/** The image that a file would be dropped on. */
function DropTarget({ image }: { image: HTMLImageElement }): ReactElement {
  const { left, top, width, height } = image.getBoundingClientRect();
  return <div className="inline-drop" style={{ left, top, width, height }} />;
}
