import { type ComponentProps, type ReactElement, useId } from "react";
import { TextInput } from "../../ui/TextInput.tsx";

const zones = Intl.supportedValuesOf("timeZone");

type TimeZoneInputProps = Omit<ComponentProps<typeof TextInput>, "hint" | "list">;

/** A field for a time zone, which suggests those that the browser knows. */
export function TimeZoneInput(props: TimeZoneInputProps): ReactElement {
  const list = useId();
  return (
    <>
      <TextInput {...props} hint="Such as Europe/Stockholm." list={list} />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
