import { type ReactElement, type ReactNode, useId } from "react";

/** A part of the settings with its heading and what it is about. */
export function SettingsSection(props: {
  title: string;
  about: ReactNode;
  children: ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <section className="settings-section" aria-labelledby={id}>
      <div className="settings-about">
        <h2 id={id}>{props.title}</h2>
        <p className="muted">{props.about}</p>
      </div>
      <div className="settings-body">{props.children}</div>
    </section>
  );
}
