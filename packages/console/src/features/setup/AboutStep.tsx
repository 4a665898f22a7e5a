import { type ReactElement, useState } from "react";

import type { MediaItem } from "../../api/types.ts";
import { refusalOf } from "../../api/useAction.ts";
import { fieldSentence } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { Dropzone, MediaButton } from "../media/Dropzone.tsx";
import { UploadList } from "../media/UploadList.tsx";
import { type Uploads, useFormUploads } from "../media/usePageUploads.ts";
import { StepForm, type StepProps } from "./StepFrame.tsx";
import { type Answers, type SetupView, useSaveAnswers } from "./useSetup.ts";

interface Chosen {
  mediaId: number;
  /** Its address for display; null for an image chosen earlier. */
  src: string | null;
}

/** The person's image: uploaded here, with its alt text. */
function PortraitField(props: {
  chosen: Chosen | null;
  onChosen(chosen: Chosen | null): void;
  children: ReactElement;
}): ReactElement {
  const { chosen, onChosen } = props;
  const uploads: Uploads = useFormUploads("setup:portrait", {
    onDone(media: MediaItem, key) {
      if (media.kind !== "image") return;
      onChosen({ mediaId: media.id, src: media.variants[0]?.src ?? media.src });
      uploads.dismiss([key]);
    },
  });
  const take = (files: readonly File[]): void => void uploads.add(files.slice(0, 1));
  return (
    <fieldset className="plain">
      <legend>Portrait (optional)</legend>
      <Dropzone onFiles={take}>
        {chosen?.src && <img className="setup-portrait" src={chosen.src} alt="" />}
        {chosen && !chosen.src && <p>A portrait is chosen.</p>}
        <UploadList uploads={uploads} />
        <div className="actions">
          <MediaButton
            label={chosen ? "Replace portrait" : "Upload portrait"}
            multiple={false}
            onFiles={take}
          >
            {chosen ? "Replace portrait" : "Upload portrait"}
          </MediaButton>
          {chosen && <Button onClick={() => onChosen(null)}>Remove portrait</Button>}
        </div>
      </Dropzone>
      {chosen && props.children}
    </fieldset>
  );
}

/** A portrait and a paragraph for the about page; without both, there is no such page. */
export function AboutStep({ view, go }: StepProps & { view: SetupView }): ReactElement {
  const { answers } = view;
  const save = useSaveAnswers();
  const before = answers.portrait ?? null;
  const [chosen, setChosen] = useState<Chosen | null>(before && { ...before, src: null });
  const [alt, setAlt] = useState(before?.alt ?? "");
  const [about, setAbout] = useState(answers.about ?? "");
  const [missingAlt, setMissingAlt] = useState(false);
  const refusal = refusalOf(save.isError ? save.error : null);
  const submit = (): void => {
    const isMissing = chosen !== null && alt.trim() === "";
    setMissingAlt(isMissing);
    if (isMissing || save.isPending) return;
    const portrait: Answers["portrait"] = chosen && { mediaId: chosen.mediaId, alt: alt.trim() };
    save.mutate({ portrait, about: about.trim() }, { onSuccess: () => go("services") });
  };
  return (
    <StepForm
      step="about"
      label="Portrait and text"
      go={go}
      busy={save.isPending}
      refusal={refusal}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <PortraitField chosen={chosen} onChosen={setChosen}>
        <TextInput
          label="What the portrait shows"
          hint="Read aloud to visitors who can’t see it, such as “Ada at her desk, laughing”."
          value={alt}
          maxLength={300}
          error={
            missingAlt
              ? "Say in a few words what the image shows."
              : fieldSentence(refusal?.fields["portrait.alt"] ?? refusal?.fields["portrait"])
          }
          onChange={(text) => {
            setAlt(text);
            setMissingAlt(false);
          }}
        />
      </PortraitField>
      <TextArea
        label="About you (optional)"
        hint="A paragraph or two in your own words. An empty line starts a new paragraph."
        rows={6}
        maxLength={3000}
        value={about}
        error={fieldSentence(refusal?.fields["about"])}
        onChange={setAbout}
      />
    </StepForm>
  );
}
