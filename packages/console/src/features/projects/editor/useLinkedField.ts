import { type RefObject, useEffect } from "react";

/**
 * Focuses the field in the address: `#body`, or `#gallery-3` for the alt text of the third image.
 */
export function useLinkedField(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const [, field, item] = /^#([A-Za-z]{1,20})(?:-(\d{1,3}))?$/.exec(location.hash) ?? [];
    if (field === undefined) return;
    const selector =
      item === undefined
        ? `[name="${field}"], [name^="${field}."]`
        : `[name^="${field}."][name$=".alt"]`;
    const found = form.current?.querySelectorAll<HTMLElement>(selector);
    found?.[Number(item ?? 1) - 1]?.focus();
  }, [form]);
}
