import { Fragment, type ReactElement } from "react";

/** An address split where a line may break: after slashes, before dots. */
export function splitUrl(address: string): string[] {
  return address.match(/\.?[^./]*\/*/g)?.filter((part) => part !== "") ?? [];
}

/** An address that breaks at sensible places; selecting it selects all of it. */
export function Url({ address }: { address: string }): ReactElement {
  return (
    <>
      {splitUrl(address).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
