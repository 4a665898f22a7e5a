import type { ReactElement } from "react";

import { TextInput } from "../../ui/TextInput.tsx";
import type { EditedForm } from "../forms/useForm.ts";
import { ChoiceCards } from "./ChoiceCards.tsx";
import {
  choosePreset,
  isKeyKept,
  isOpenAddress,
  type ModelForm,
  type ModelView,
  presetOf,
  presets,
} from "./model-form.ts";

interface Props {
  edited: EditedForm<ModelForm>;
  model: ModelView;
}

function KeyField({ edited, model }: Props): ReactElement {
  const { form } = edited;
  const kept = isKeyKept(form, model);
  const optional = presetOf(form.preset).key === "optional";
  const open = isOpenAddress(form.baseUrl);
  return (
    <TextInput
      label={optional ? "Key (if the server asks for one)" : "Key"}
      {...edited.field("apiKey")}
      type="password"
      aside={<span>{kept ? "Set" : "Not set"}</span>}
      hint={
        <>
          {kept
            ? "A key is kept and never shown. Type another to replace it."
            : "It is kept encrypted, for this address only, and never shown again."}
          {open && " This address is not encrypted: others on the network could read the key."}
        </>
      }
      autoComplete="new-password"
    />
  );
}

function Prices({ edited }: Props): ReactElement {
  const price = { inputMode: "numeric", placeholder: "" } as const;
  return (
    <fieldset className="plain">
      <legend>Prices of a million tokens</legend>
      <p className="hint">
        From your provider’s price list. Without them tokens are counted, money is not.
      </p>
      <div className="settings-row">
        <TextInput {...edited.field("inputPrice")} {...price} label="Read" />
        <TextInput
          {...edited.field("cachedInputPrice")}
          {...price}
          label="Read from its cache"
          placeholder="usual part"
        />
        <TextInput {...edited.field("outputPrice")} {...price} label="Written" />
        <TextInput label="Currency" {...edited.field("currency")} maxLength={3} placeholder="USD" />
      </div>
    </fieldset>
  );
}

/** Where the model is, what it is called, its key and its prices. */
export function ModelFields(props: Props): ReactElement {
  const { edited, model } = props;
  const { form } = edited;
  const preset = presetOf(form.preset);
  const own = preset.address === null;
  return (
    <>
      <ChoiceCards
        legend="Where it is"
        choices={presets}
        chosen={form.preset}
        onChoose={(value) => edited.change(choosePreset(form, model, value))}
      />
      <div className="settings-row wide">
        <TextInput
          label="Model"
          {...edited.field("id")}
          hint={preset.example === "" ? "As the server calls it." : `Such as ${preset.example}.`}
        />
        <TextInput
          label={own ? "Another address" : "Address"}
          {...edited.field("baseUrl")}
          inputMode="url"
          hint={
            own
              ? `For a proxy of yours. Empty is ${preset.label}’s.`
              : "Ends in /v1. Asked by this server."
          }
        />
      </div>
      <TextInput
        label="Tokens it takes at once"
        {...edited.field("windowTokens")}
        inputMode="numeric"
        placeholder={preset.provider === "openai-compatible" ? "32,000" : "150,000"}
        hint="Its context window. A model on your own machine may take fewer than it could: as many as its server is set to."
      />
      <KeyField {...props} />
      <Prices {...props} />
    </>
  );
}
