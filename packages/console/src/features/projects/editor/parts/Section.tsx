import { type ReactElement, type ReactNode, type Ref, useId } from "react";

/** A section of the form with its heading. */
export function Section(props: {
  title: string;
  /** What the section is for, in a sentence. */
  hint?: ReactNode;
  /** Next to the heading. */
  aside?: ReactNode;
  /** An error of the section as a whole. */
  error?: string | undefined;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
}): ReactElement {
  const id = useId();
  return (
    <section className="editor-section" aria-labelledby={id} ref={props.ref ?? null}>
      <div className="editor-section-head">
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.hint && <p className="hint">{props.hint}</p>}
      {props.error && (
        <p className="field-error" tabIndex={-1} data-wrong>
          {props.error}
        </p>
      )}
      {props.children}
    </section>
  );
}
