import type { ReactElement } from "react";

const paths = {
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  stop: "M4.5 4.5h7v7h-7z",
  chevron: "M6 4l4 4-4 4",
  reload: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  external: "M9 3h4v4M13 3 7.5 8.5M11.5 9.5V13h-8.500V5H6.500",
  phone: "M5 2h6v12H5zM7.500 12h1",
  tablet: "M3 2.500h10v11H3zM7.500 11.500h1",
  full: "M1.500 3h13v8h-13zM6 13.500h4",
  down: "M8 3v9M4.500 8.500 8 12l3.500-3.500",
  help: "M6 6a2 2 0 1 1 2.700 1.900c-.5.2-.7.500-.7 1.100M8 11.500v.1",
  eye: "M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 6.300a1.700 1.700 0 1 0 .1 0",
  error: "M5.500 2h5L14 5.500v5L10.500 14h-5L2 10.500v-5zM6 6l4 4M10 6l-4 4",
  warning: "M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.900v.1",
  notice: "M8 2a6 6 0 1 0 .1 0M8 7.500v3.500M8 5v.1",
  across: "M6 4 2.500 8 6 12M10 4l3.500 4L10 12",
  compare: "M2 3h12v10H2zM8 1v14M4.500 8h1M10.500 8h1",
  attach:
    "M13 7.500 8 12.500a3 3 0 0 1-4.300-4.300l5.300-5.200a2 2 0 0 1 2.900 2.900L6.700 11a1 1 0 0 1-1.400-1.400L9.800 5",
  clock: "M8 2a6 6 0 1 0 .1 0M8 4.500V8l2.500 1.500",
  target: "M8 3a5 5 0 1 0 .1 0M8 .8v4.400M8 10.800v4.400M.8 8h4.400M10.800 8h4.400",
  picture: "M2 3.500h12v9H2zM2 11l3.500-3.500 3 3L11 8l3 3M10.500 5.800v.1",
} as const;

export type IconName = keyof typeof paths;

/** A small line drawing; what it means is always said in words beside it. */
export function Icon({ name }: { name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
