import { HtmlTooComplex } from "vitrine-qa/src/system/bounded-html.ts";
import { refill, type FormError } from "./refill.ts";

/** A page with the form that came back. */
export interface RefillInput {
  page: string;
  action: string;
  formError: FormError;
}

/** `refill` for a page of the site; null also for one that is too complex. Runs in a worker. */
export function refillPage({ page, action, formError }: RefillInput): string | null {
  try {
    return refill(page, action, formError);
  } catch (error) {
    // The serializer recurses: a page may nest deeper than its stack.
    if (error instanceof HtmlTooComplex || error instanceof RangeError) return null;
    throw error;
  }
}
