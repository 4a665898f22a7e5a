import { type ReactElement, useEffect, useId, useRef, useState } from "react";

import { fieldSentence } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { Select } from "../../ui/Select.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { fileAddress } from "../media/Thumbnail.tsx";
import { LibraryDialog } from "../projects/editor/gallery/LibraryDialog.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { fieldValue } from "./draft.ts";
import type { FieldsProps } from "./PageFields.tsx";
import { type PageList, usePageForm } from "./usePages.ts";
import { isObject } from "./values.ts";

type Share = NonNullable<PageList["share"]>;

interface Chosen {
  src: string;
  alt: string;
}

function readChosen(value: unknown): Chosen | null {
  if (!isObject(value) || typeof value["src"] !== "string" || value["src"] === "") return null;
  return { src: value["src"], alt: typeof value["alt"] === "string" ? value["alt"] : "" };
}

function ChosenImage(props: {
  chosen: Chosen;
  error: string | undefined;
  onChange(chosen: Chosen): void;
}): ReactElement {
  const { chosen, onChange } = props;
  return (
    <>
      <img className="pages-share" src={fileAddress(chosen.src)} alt="" />
      <TextInput
        label="What the share image shows"
        hint="Read aloud to people who can’t see it."
        maxLength={300}
        value={chosen.alt}
        error={fieldSentence(props.error)}
        onChange={(alt) => onChange({ ...chosen, alt })}
      />
    </>
  );
}

/** The image that other sites show for a link to this page: one of the library, else the drawn one. */
export function ShareImage(props: {
  file: string;
  path: string;
  draft: FieldsProps["draft"];
  errors: FieldsProps["errors"];
  onChange: FieldsProps["onChange"];
}): ReactElement {
  const { file, path, draft, onChange } = props;
  const form = usePageForm(file);
  const note = useId();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <QueryBody
      query={form}
      what="the share image"
      skeleton={{ count: 1, shape: "row", label: "Loading the share image…" }}
    >
      {(data) => {
        const chosen = readChosen(fieldValue(data, draft, path));
        const put = (next: Chosen | null): void => onChange(data, path, next);
        return (
          <fieldset className="plain pages-group" aria-describedby={note}>
            <legend>Share image</legend>
            <p className="muted" id={note}>
              {chosen
                ? "Other sites show this image for a link to the page."
                : "Other sites show an image with the page’s title for a link to it."}
            </p>
            {chosen && (
              <ChosenImage chosen={chosen} error={props.errors[`${file}:${path}`]} onChange={put} />
            )}
            <div className="actions">
              <Button icon="image" onClick={() => setChoosing(true)}>
                {chosen ? "Replace share image" : "Choose share image"}
              </Button>
              {chosen && <Button onClick={() => put(null)}>Use the generated image</Button>}
            </div>
            {isChoosing && (
              <LibraryDialog
                several={false}
                title="Choose a share image"
                kind="image"
                onClose={() => setChoosing(false)}
                onChosen={([media]) => {
                  setChoosing(false);
                  if (media) put({ src: media.src, alt: media.alt });
                }}
              />
            )}
          </fieldset>
        );
      }}
    </QueryBody>
  );
}

/** The share images of the projects that everybody can see, one project at a time. */
export function ProjectShareImages(props: {
  share: Share;
  /** The slug of the project that is shown. */
  slug: string | null;
  draft: FieldsProps["draft"];
  errors: FieldsProps["errors"];
  onChange: FieldsProps["onChange"];
  onSlug(slug: string): void;
}): ReactElement | null {
  const { share, slug, ...fields } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // A link to a project's image leads here, below everything else.
  const [isLinked] = useState(slug !== null);
  useEffect(() => {
    if (isLinked) heading.current?.focus();
  }, [isLinked]);
  if (share.projects.length === 0) return null;
  const options = share.projects.map(({ path, name }) => ({
    value: path.split("/").at(-2) ?? "",
    label: name,
  }));
  const path = share.projects.find((project) => project.path === `/projects/${slug}/`)?.path;
  return (
    <section aria-labelledby="projects-title">
      <h2 id="projects-title" ref={heading} tabIndex={-1}>
        Share images of projects
      </h2>
      <div className="pages-fields">
        <Select
          label="Project"
          value={path === undefined ? "" : (slug ?? "")}
          options={[{ value: "", label: "Choose a project" }, ...options]}
          onChange={props.onSlug}
        />
        {path !== undefined && <ShareImage key={path} file={share.file} path={path} {...fields} />}
      </div>
    </section>
  );
}
