import { type ReactElement, type ReactNode, useId } from "react";

/** A part of the settings with its heading and what it is about; `id` is where links lead to it. */
export function SettingsSection(props: {
  id?: string;
  title: string;
  about: ReactNode;
  children: ReactNode;
}): ReactElement {
  const own = useId();
  const id = props.id ?? own;
  return (
    <section className="settings-section" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
      <div className="settings-about">
        <h2 id={`${id}-title`}>{props.title}</h2>
        <p className="muted">{props.about}</p>
      </div>
      <div className="settings-body">{props.children}</div>
    </section>
  );
}
