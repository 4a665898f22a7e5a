import { Fragment, type ReactElement } from "react";

/** The parts of an address between which a line may end: after slashes, before dots. */
export function splitUrl(address: string): string[] {
  return address.match(/\.?[^./]*\/*/g)?.filter((part) => part !== "") ?? [];
}

/** An address that breaks where it is read, not in the middle of a word; selected it is whole. */
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
