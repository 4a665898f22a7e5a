import { createContext, type ReactElement, type ReactNode, use } from "react";

type Note = (name: string) => ReactNode;

const Context = createContext<Note>(() => null);

/** Adds notes below the fields of a form, by the names of their controls. */
export function FieldNotes(props: { note: Note; children: ReactNode }): ReactElement {
  return <Context value={props.note}>{props.children}</Context>;
}

/** The note below the field with this control name. */
export function useFieldNote(name: string | undefined): ReactNode {
  const note = use(Context);
  return name === undefined ? null : note(name);
}
