import { Fragment, type ReactElement } from "react";

/** How messages name the place where models are selected. */
export const modelSettings = "Settings → Model";

/** A server message, with a link to the model settings if it mentions them. */
export function SettingsText({ text }: { text: string }): ReactElement {
  return (
    <>
      {text.split(modelSettings).map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts have no other identity
        <Fragment key={index}>
          {index > 0 && <a href="/admin/settings#model">{modelSettings}</a>}
          {part}
        </Fragment>
      ))}
    </>
  );
}
