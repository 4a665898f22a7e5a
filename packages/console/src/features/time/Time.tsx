import type { ReactElement } from "react";

import { useTimeZone } from "../../api/context.tsx";
import { formatTime } from "../../ui/format.ts";

/** A time in the site's time zone; with `dayOnly`, the time of day is in the tooltip. */
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
