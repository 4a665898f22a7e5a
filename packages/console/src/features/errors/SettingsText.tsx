import { Fragment, type ReactElement } from "react";

/** How messages name the place where a model is chosen. */
export const modelSettings = "Settings → Model";

/** A message of the server; where it sends its reader to the model's settings, that is a link. */
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
