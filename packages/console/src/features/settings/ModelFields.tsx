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
            ? "A key is saved. Enter a new one to replace it."
            : "Stored encrypted, used for this address only and never shown again."}
          {open && " This address isn’t encrypted, so others on the network could read the key."}
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
      <legend>Prices per million tokens</legend>
      <p className="hint">
        From your provider’s price list. Without them, tokens are counted but spending isn’t.
      </p>
      <div className="settings-row">
        <TextInput {...edited.field("inputPrice")} {...price} label="Input" />
        <TextInput
          {...edited.field("cachedInputPrice")}
          {...price}
          label="Cached input"
          placeholder="default"
        />
        <TextInput {...edited.field("outputPrice")} {...price} label="Output" />
        <TextInput label="Currency" {...edited.field("currency")} maxLength={3} placeholder="USD" />
      </div>
    </fieldset>
  );
}

/** The model's address, name, key, and prices. */
export function ModelFields(props: Props): ReactElement {
  const { edited, model } = props;
  const { form } = edited;
  const preset = presetOf(form.preset);
  const own = preset.address === null;
  return (
    <>
      <ChoiceCards
        legend="Provider"
        choices={presets}
        chosen={form.preset}
        onChoose={(value) => edited.change(choosePreset(form, model, value))}
      />
      <div className="settings-row wide">
        <TextInput
          label="Model"
          {...edited.field("id")}
          hint={preset.example === "" ? "The name the server uses." : `Such as ${preset.example}.`}
        />
        <TextInput
          label={own ? "Another address" : "Address"}
          {...edited.field("baseUrl")}
          inputMode="url"
          hint={
            own
              ? `For your own proxy. Leave blank for ${preset.label}’s.`
              : "Ends in /v1. This server must be able to reach it."
          }
        />
      </div>
      <TextInput
        label="Context window"
        {...edited.field("windowTokens")}
        inputMode="numeric"
        placeholder={preset.provider === "openai-compatible" ? "32,000" : "150,000"}
        hint="In tokens. A model on your own machine may be set to less than its maximum."
      />
      <KeyField {...props} />
      <Prices {...props} />
    </>
  );
}
