import type { ReactElement } from "react";

const paths = {
  across: "M6 4 2.500 8 6 12M10 4l3.500 4L10 12",
  add: "M8 3v10M3 8h10",
  archive: "M2.5 3.5h11v3h-11zM3.500 6.500v6.500h9V6.500M6.500 9h3",
  attach:
    "M13 7.500 8 12.500a3 3 0 0 1-4.300-4.300l5.300-5.200a2 2 0 0 1 2.900 2.900L6.700 11a1 1 0 0 1-1.400-1.400L9.800 5",
  check: "M3 8.500 6.500 12 13 4.500",
  chevron: "M6 4l4 4-4 4",
  clock: "M8 2a6 6 0 1 0 .1 0M8 4.500V8l2.500 1.500",
  compare: "M2 3h12v10H2zM8 1v14M4.500 8h1M10.500 8h1",
  copy: "M5.500 5.500h8v8h-8zM3 10.500H2.500v-8h8V3",
  crop: "M4.500 1.500v10h10M1.500 4.500h10v10",
  cross: "M4 4l8 8M12 4l-8 8",
  down: "M8 3v10M4 9l4 4 4-4",
  edit: "M3 13l.6-2.800 7-7 2.200 2.200-7 7zM9.500 4.300l2.200 2.200",
  error: "M5.500 2h5L14 5.500v5L10.500 14h-5L2 10.500v-5zM6 6l4 4M10 6l-4 4",
  external: "M9 3h4v4M13 3 7.500 8.500M11.500 9.500V13h-8.500V5H6.500",
  eye: "M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 6.300a1.700 1.700 0 1 0 .1 0",
  full: "M1.500 3h13v8h-13zM6 13.500h4",
  grip: "M6 3.500v.1M10 3.500v.1M6 8v.1M10 8v.1M6 12.500v.1M10 12.500v.1",
  help: "M6 6a2 2 0 1 1 2.700 1.900c-.5.2-.7.500-.7 1.100M8 11.500v.1",
  image: "M2.500 3h11v10h-11zM2.500 11l3.500-3.500 3 3 2-2 2.500 2.500M10.500 5.800v.1",
  link: "M6.500 9.500l3-3M7.500 4.500l1.200-1.200a2.500 2.500 0 0 1 3.500 3.500L11 8M5 8l-1.200 1.200a2.500 2.500 0 0 0 3.500 3.500l1.200-1.200",
  more: "M4 6.500l4 4 4-4",
  notice: "M8 2a6 6 0 1 0 .1 0M8 7.500v3.500M8 5v.1",
  phone: "M5 2h6v12H5zM7.500 12h1",
  play: "M5 3.500v9l7.500-4.500z",
  reload: "M13 8a5 5 0 1 1-1.600-3.700M13 2.500v3h-3",
  search: "M7 2.500a4.500 4.500 0 1 0 .1 0M10.300 10.300l3.200 3.200",
  stop: "M4.500 4.500h7v7h-7z",
  swap: "M3 5.500h9.500M9.500 2.500l3 3-3 3M13 10.500H3.500M6.500 7.500l-3 3 3 3",
  tablet: "M3 2.500h10v11H3zM7.500 11.500h1",
  target: "M8 3a5 5 0 1 0 .1 0M8 .8v4.400M8 10.800v4.400M.8 8h4.400M10.800 8h4.400",
  trash: "M2.500 4.500h11M6.500 4.500v-2h3v2M4 4.500l.600 9h6.800l.600-9M6.700 7v4M9.300 7v4",
  up: "M8 13V3M4 7l4-4 4 4",
  upload: "M8 11V3M4.500 6 8 2.500 11.500 6M2.500 10.500v3h11v-3",
  video: "M2.500 3.500h11v9h-11zM5.500 3.500v9M10.500 3.500v9M2.500 8h11",
  warning: "M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.900v.1",
} as const;

export type IconName = keyof typeof paths;

/** An icon; its meaning is a text next to it or the control's name. */
export function Icon({ name }: { name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
