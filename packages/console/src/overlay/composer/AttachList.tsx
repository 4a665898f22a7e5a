import { type ReactElement, useRef } from "react";

import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import type { ImageUse } from "./draft-images.ts";
import type { Attachments, AttachItem } from "./useAttachments.ts";

const uses: Readonly<Record<ImageUse, { label: string; meaning: string }>> = {
  reference: {
    label: "Reference",
    meaning: "Never appears on the site.",
  },
  page: {
    label: "For the page",
    meaning: "Added to your media library. The page can use it.",
  },
};

const useOptions = (Object.keys(uses) as ImageUse[]).map((value) => ({
  value,
  label: uses[value].label,
  title: uses[value].meaning,
}));

/** Maximum characters of an alt text. */
const maxAltLength = 300;

/** The attached images with their states. */
export function AttachList({ attachments }: { attachments: Attachments }): ReactElement {
  const { items, refused, announcement } = attachments;
  return (
    <>
      <span className="unseen" role="status">
        {announcement}
      </span>
      {refused !== null && (
        <p className="reason" role="alert">
          {refused}
        </p>
      )}
      {items.length > 0 && (
        <ul className="images" aria-label="Images">
          {items.map((item) => (
            <AttachRow key={item.key} item={item} attachments={attachments} />
          ))}
        </ul>
      )}
    </>
  );
}

function AttachRow(props: { item: AttachItem; attachments: Attachments }): ReactElement {
  const { item, attachments } = props;
  const name = plainText(item.name);
  return (
    <li>
      <span className="thumb">
        {item.thumb === null ? <Icon name="image" /> : <img src={item.thumb} alt="" />}
      </span>
      <div className="about">
        <span className="name" title={name}>
          {name}
        </span>
        <SegmentedControl
          legend={`What ${name} is for`}
          value={item.use}
          options={useOptions}
          onChange={(use) => attachments.choose(item.key, use)}
        />
        <AttachState item={item} onRetry={() => attachments.retry(item.key)} />
        {item.use === "page" && (
          <AltField item={item} onAlt={(alt, done) => attachments.describe(item.key, alt, done)} />
        )}
      </div>
      <Button
        variant="bare"
        icon="cross"
        label={`Remove ${name}`}
        onClick={() => attachments.remove(item.key)}
      />
    </li>
  );
}

/** An image's alt text, saved when the field loses focus. */
function AltField(props: {
  item: AttachItem;
  onAlt(alt: string, done: boolean): void;
}): ReactElement {
  const { item, onAlt } = props;
  const before = useRef(item.alt);
  return (
    <input
      className="alt"
      aria-label={`What ${plainText(item.name)} shows`}
      placeholder="What it shows (optional)"
      maxLength={maxAltLength}
      value={item.alt}
      onFocus={() => (before.current = item.alt)}
      onChange={(event) => onAlt(event.target.value, false)}
      onBlur={() => item.alt !== before.current && onAlt(item.alt, true)}
    />
  );
}

/** An image's upload progress, its error, or its use. */
function AttachState(props: { item: AttachItem; onRetry(): void }): ReactElement {
  const { item } = props;
  if (item.error !== null) {
    return (
      <div className="row state-line">
        <p className="reason">{plainText(item.error)}</p>
        {item.canRetry && (
          <Button variant="small" onClick={props.onRetry}>
            Retry
          </Button>
        )}
      </div>
    );
  }
  if (item.ready) return <p className="quiet">{uses[item.use].meaning}</p>;
  const { status, fraction, note } = item.sending ?? {};
  const percent = fraction === null || fraction === undefined ? null : Math.round(fraction * 100);
  const words =
    note ?? (status === "working" ? "Preparing…" : `Uploading${percent ? ` ${percent}%` : "…"}`);
  return (
    <div className="state-line">
      <progress
        max={1}
        {...(percent === null || status !== "sending" ? {} : { value: percent / 100 })}
        aria-label={`Uploading ${plainText(item.name)}`}
      />
      <span className="quiet">{words}</span>
    </div>
  );
}
