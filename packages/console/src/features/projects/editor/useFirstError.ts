import { type RefObject, useEffect, useRef } from "react";

/** Focuses the first invalid field after each refused save. */
export function useFirstError(refusals: number): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals === 0) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid='true'], [data-wrong]")?.focus();
  }, [refusals]);
  return form;
}
