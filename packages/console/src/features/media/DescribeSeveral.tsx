import { type ReactElement, useId, useState } from "react";

import { asApiError } from "../../api/client.ts";
import { fieldSentence } from "../../api/field-errors.ts";
import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";
import { DecorativeChoice } from "./AltMissing.tsx";
import { Thumbnail } from "./Thumbnail.tsx";
import { type Description, useDescribe } from "./useMedia.ts";

function Row(props: {
  item: ListedMedia;
  description: Description;
  error: string | null;
  onChange(description: Description): void;
}): ReactElement {
  const { item, description, onChange } = props;
  return (
    <li className="describe-row" aria-label={item.originalName}>
      <Thumbnail media={item} width={160} fit="contain" />
      <div>
        <p className="describe-name">{item.originalName}</p>
        <TextArea
          label="Alt text"
          rows={2}
          maxLength={300}
          placeholder="What it shows"
          value={description.alt}
          error={props.error}
          onChange={(alt) => onChange({ ...description, alt })}
        />
        {item.kind === "image" && (
          <DecorativeChoice
            checked={description.isDecorative}
            onChange={(isDecorative) => onChange({ ...description, isDecorative })}
          />
        )}
      </div>
    </li>
  );
}

/** The texts being edited, of which the changed ones are saved together. */
function useDescriptions(items: readonly ListedMedia[]) {
  const save = useDescribe();
  const [descriptions, setDescriptions] = useState<readonly Description[]>(() =>
    items.map(({ id, alt, isDecorative }) => ({ id, alt, isDecorative })),
  );
  const changed = descriptions.filter(({ alt, isDecorative }, index) => {
    const item = items[index];
    return alt.trim() !== item?.alt.trim() || isDecorative !== item.isDecorative;
  });
  useUnloadGuard(changed.length > 0);
  const error = save.isError ? asApiError(save.error) : null;
  return {
    descriptions,
    changed,
    error,
    isSaving: save.isPending,
    set: (index: number, next: Description) => setDescriptions(descriptions.with(index, next)),
    /** The server's positions are those of `changed`. */
    errorOf(description: Description): string | null {
      const at = changed.indexOf(description);
      return at < 0 ? null : fieldSentence(error?.fields[`items.${at}.alt`]);
    },
    submit(onDone: () => void): void {
      if (save.isPending) return;
      if (changed.length === 0) onDone();
      else save.mutate(changed, { onSuccess: onDone });
    },
  };
}

function Unsaved(props: { count: number; error: string | null; asks: boolean }): ReactElement {
  const { count, error, asks } = props;
  return (
    <>
      <div role="status">
        {asks && (
          <Notice kind="warn" title={`${formatCount(count, "change")} not saved`}>
            Save, or select Discard changes.
          </Notice>
        )}
      </div>
      {error !== null && (
        <Notice kind="error" title="Couldn’t save the alt text">
          {error}
        </Notice>
      )}
    </>
  );
}

/** The alt texts of several files in one form, saved together. */
export function DescribeSeveral(props: {
  items: readonly ListedMedia[];
  onDone(): void;
  onClose(): void;
}): ReactElement {
  const { items, onDone, onClose } = props;
  const form = useId();
  const texts = useDescriptions(items);
  const [asks, setAsks] = useState(false);
  const close = (): void => {
    if (texts.changed.length === 0 || asks) onClose();
    else setAsks(true);
  };
  return (
    <Dialog
      size="wide"
      title={`Alt text for ${formatCount(items.length, "file")}`}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{asks ? "Discard changes" : "Cancel"}</Button>
          <Button variant="primary" type="submit" form={form} busy={texts.isSaving}>
            Save alt text
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          texts.submit(onDone);
        }}
      >
        <p className="muted">
          Describe each image for people who can’t see it, or mark it as decorative.
        </p>
        <ul className="describe">
          {items.map((item, index) => {
            const description = texts.descriptions[index];
            if (!description) return null;
            return (
              <Row
                key={item.id}
                item={item}
                description={description}
                error={texts.errorOf(description)}
                onChange={(next) => {
                  setAsks(false);
                  texts.set(index, next);
                }}
              />
            );
          })}
        </ul>
        <Unsaved count={texts.changed.length} error={texts.error?.message ?? null} asks={asks} />
      </form>
    </Dialog>
  );
}
