import type { ReactElement } from "react";

import { useTimeZone } from "../../api/context.tsx";
import { formatTime } from "../../ui/format.ts";

/** A time by the site's own clock; with `dayOnly`, the time of day is there on pointing at it. */
export function Time(props: { iso: string; dayOnly?: boolean }): ReactElement {
  const timeZone = useTimeZone();
  const whole = formatTime(props.iso, timeZone);
  if (!props.dayOnly) return <time dateTime={props.iso}>{whole}</time>;
  return (
    <time dateTime={props.iso} title={whole}>
      {formatTime(props.iso, timeZone, true)}
    </time>
  );
}
