import { HtmlTooComplex } from "vitrine-qa/src/system/bounded-html.ts";
import { refill, type FormError } from "./refill.ts";

/** A page with the form to show again. */
export interface RefillInput {
  page: string;
  action: string;
  formError: FormError;
}

/** `refill` for a page of the site; null also if the page is too complex. Runs in a worker. */
export function refillPage({ page, action, formError }: RefillInput): string | null {
  try {
    return refill(page, action, formError);
  } catch (error) {
    // The serializer is recursive, and a page may nest deeper than its stack.
    if (error instanceof HtmlTooComplex || error instanceof RangeError) return null;
    throw error;
  }
}
