import type { ReactElement } from "react";

import { useSite } from "../context.tsx";
import { timeWords } from "../words.ts";

/** A time, by the site's own clock. */
export function Time({ iso }: { iso: string }): ReactElement {
  return <time dateTime={iso}>{timeWords(iso, useSite().timeZone)}</time>;
}
