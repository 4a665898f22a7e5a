import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useId } from "react";

import { QueryBody } from "../queries/QueryBody.tsx";

interface SectionProps {
  /** The target of links. */
  id?: string;
  title: string;
  about: ReactNode;
}

/** A section of the settings with its heading and explanation. */
export function SettingsSection(props: SectionProps & { children: ReactNode }): ReactElement {
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

/** The section of one setting: loading, an error, or its form. */
export function SettingSection<T>(
  props: SectionProps & {
    setting: UseQueryResult<T>;
    /** What it is: "the site owner". */
    what: string;
    /** What to do manually if the stored setting can't be read. */
    kept?: ReactNode;
    children: (data: T) => ReactNode;
  },
): ReactElement {
  const { setting, what, kept, children, ...section } = props;
  const skeleton = { count: 2, shape: "row", label: `Loading ${what}…` } as const;
  return (
    <SettingsSection {...section}>
      <QueryBody query={setting} what={what} note={kept} skeleton={skeleton}>
        {children}
      </QueryBody>
    </SettingsSection>
  );
}
