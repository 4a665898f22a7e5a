import type { ReactElement } from "react";

import { useSite } from "../context.tsx";
import { timeWords } from "../words.ts";

/** A time by the site's own clock; with `dayOnly`, the time of day is there on pointing at it. */
export function Time(props: { iso: string; dayOnly?: boolean }): ReactElement {
  const { timeZone } = useSite();
  const whole = timeWords(props.iso, timeZone);
  if (!props.dayOnly) return <time dateTime={props.iso}>{whole}</time>;
  return (
    <time dateTime={props.iso} title={whole}>
      {timeWords(props.iso, timeZone, true)}
    </time>
  );
}
