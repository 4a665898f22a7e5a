import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";

import { fieldSentence } from "../../api/field-errors.ts";
import { refusalOf } from "../../api/useAction.ts";
import type { SaveStatus } from "../../ui/SaveState.tsx";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";

/** What is wrong, by field. */
export type FieldErrors = Record<string, string>;

interface Saving {
  isPending: boolean;
  isError: boolean;
  isSuccess: boolean;
  error: unknown;
  submittedAt: number;
  reset(): void;
}

/** Where what is typed is kept until it is sent. */
export interface FormDraft<F> {
  read(): F | null;
  /** Null forgets it. */
  write(form: F | null): void;
}

function focusMistake(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
}

/** The form in which the first mistake gets the focus when a check or the server has found some. */
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

/** Which of the mistakes still stand after a change: those of fields that are as they were. */
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

/** What `useForm` gives for a form of this shape. */
export type EditedForm<F extends object> = ReturnType<typeof useForm<F>>;

/** What of a form does not depend on its fields. */
export type FormState = Pick<
  EditedForm<object>,
  "element" | "losable" | "refusal" | "status" | "submit"
>;

/**
 * A form of flat fields over what is saved: what is typed, what is wrong with it, how saving is.
 * `before` is the form of what is saved; when that changes, the form begins anew from it. `names` are
 * what the server calls the fields, where that is not as the form does. With a `draft`, leaving the
 * form loses nothing: it is gone on with the next time.
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
  // How often the check has found something.
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
    // What was said of the form before is not of this one.
    if (saving.isError || saving.isSuccess) saving.reset();
  }
  return {
    form,
    changed,
    /** Whether leaving would lose what is typed. */
    losable: changed && !draft,
    element,
    /** A refusal that belongs to none of the fields. */
    refusal: atField ? null : refusal,
    error: (name: string) => fieldSentence(errors[name]),
    status: statusOf(saving, refusal !== null, changed),
    change,
    /** What the control of a field carries; `at` is what the server calls it, where that differs. */
    field: <K extends keyof F & string>(name: K, at: string = name) => ({
      name: at,
      value: form[name],
      error: fieldSentence(errors[at]),
      onChange: (value: F[K]): void => change({ ...form, [name]: value }),
    }),
    /** Empties the form after it was sent, where what was sent must not stay in it. */
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
