import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";

import { fieldSentence } from "../../api/field-errors.ts";
import { refusalOf } from "../../api/useAction.ts";
import type { SaveStatus } from "../../ui/SaveState.tsx";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";

/** Errors by field. */
export type FieldErrors = Record<string, string>;

interface Saving {
  isPending: boolean;
  isError: boolean;
  isSuccess: boolean;
  error: unknown;
  submittedAt: number;
  reset(): void;
}

/** Stores the input until it is sent. */
export interface FormDraft<F> {
  read(): F | null;
  /** Null deletes it. */
  write(form: F | null): void;
}

function focusMistake(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
}

/** Moves the focus to the first invalid field after a check or the server has found errors. */
function useFocusOnMistake(found: number, saving: Saving): RefObject<HTMLFormElement | null> {
  const element = useRef<HTMLFormElement>(null);
  const failedAt = saving.isError ? saving.submittedAt : 0;
  useEffect(() => {
    if (found > 0) focusMistake(element.current);
  }, [found]);
  useEffect(() => {
    if (failedAt > 0) focusMistake(element.current);
  }, [failedAt]);
  return element;
}

/** The errors that still apply after a change: those of unchanged fields. */
export function keepUnchangedErrors(
  mistakes: FieldErrors,
  before: object,
  next: object,
): FieldErrors {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(next))];
  const still = Object.entries(mistakes).filter(
    ([name]) => is.has(name) && is.get(name) === was.get(name),
  );
  return Object.fromEntries(still);
}

function statusOf(saving: Saving, isRefused: boolean, changed: boolean): SaveStatus {
  if (saving.isPending) return "saving";
  if (isRefused) return "failed";
  if (changed) return "changed";
  return saving.isSuccess ? "saved" : "clean";
}

/** The result of `useForm` for a form of this shape. */
export type EditedForm<F extends object> = ReturnType<typeof useForm<F>>;

/** The parts of a form that don't depend on its fields. */
export type FormState = Pick<
  EditedForm<object>,
  "element" | "losable" | "refusal" | "status" | "submit"
>;

/**
 * A form of flat fields for a saved value: its input, its errors, and the state of saving. `before`
 * is the saved value's form; when it changes, the form is reset. `names` maps fields to the
 * server's names if they differ. With a `draft`, leaving the form loses nothing: it continues next
 * time.
 */
export function useForm<F extends object>(options: {
  before: F;
  saving: Saving;
  names?: readonly string[];
  draft?: FormDraft<F>;
  check(form: F): FieldErrors;
  save(form: F): void;
}) {
  const { before, saving, draft, check, save } = options;
  const saved = JSON.stringify(before);
  const [form, setForm] = useState(() => draft?.read() ?? before);
  const [origin, setOrigin] = useState(saved);
  const [lacks, setLacks] = useState<FieldErrors>({});
  // How often the check has found errors.
  const [found, setFound] = useState(0);
  if (origin !== saved) {
    setOrigin(saved);
    setForm(before);
  }
  const refusal = saving.isError ? refusalOf(saving.error) : null;
  const errors: FieldErrors = { ...refusal?.fields, ...lacks };
  const changed = JSON.stringify(form) !== saved;
  const atField = (options.names ?? Object.keys(before)).some((name) => errors[name]);
  useUnloadGuard(changed && !draft);
  const element = useFocusOnMistake(found, saving);
  function change(next: F): void {
    setForm(next);
    setLacks(keepUnchangedErrors(errors, form, next));
    draft?.write(JSON.stringify(next) === saved ? null : next);
    // Errors of the previous form don't apply to this one.
    if (saving.isError || saving.isSuccess) saving.reset();
  }
  return {
    form,
    changed,
    /** Whether leaving would lose input. */
    losable: changed && !draft,
    element,
    /** An error that belongs to no field. */
    refusal: atField ? null : refusal,
    error: (name: string) => fieldSentence(errors[name]),
    status: statusOf(saving, refusal !== null, changed),
    change,
    /** The props of a field's control; `at` is the server's name if it differs. */
    field: <K extends keyof F & string>(name: K, at: string = name) => ({
      name: at,
      value: form[name],
      error: fieldSentence(errors[at]),
      onChange: (value: F[K]): void => change({ ...form, [name]: value }),
    }),
    /** Resets the form after sending, if what was sent must not stay. */
    clear: () => setForm(before),
    set: (part: Partial<F>) => change({ ...form, ...part }),
    submit(event: FormEvent): void {
      event.preventDefault();
      if (saving.isPending) return;
      const mistakes = check(form);
      setLacks(mistakes);
      if (Object.keys(mistakes).length === 0) save(form);
      else setFound(found + 1);
    },
  };
}
