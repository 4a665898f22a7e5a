import { type ReactElement, useId } from "react";

import { TextInput } from "../../ui/TextInput.tsx";
import type { EditedForm } from "../shared/useForm.ts";
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

function ProviderChoice({ edited, model }: Props): ReactElement {
  const name = useId();
  const { form } = edited;
  return (
    <fieldset className="places">
      <legend>Where it is</legend>
      {presets.map(({ value, label, about }) => (
        <label key={value} className="place">
          <input
            type="radio"
            name={name}
            value={value}
            checked={form.preset === value}
            aria-describedby={`${name}-${value}`}
            onChange={() => edited.change(choosePreset(form, model, value))}
          />
          <span className="place-name">{label}</span>
          <span className="muted" id={`${name}-${value}`}>
            {about}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function KeyField({ edited, model }: Props): ReactElement {
  const { form } = edited;
  const kept = isKeyKept(form, model);
  const optional = presetOf(form.preset).key === "optional";
  const open = isOpenAddress(form.baseUrl);
  return (
    <TextInput
      label={optional ? "Key (if the server asks for one)" : "Key"}
      name="apiKey"
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
      value={form.apiKey}
      error={edited.error("apiKey")}
      onChange={(apiKey) => edited.change({ ...form, apiKey })}
    />
  );
}

function Prices({ edited }: Props): ReactElement {
  const { form } = edited;
  const price = (
    name: "inputPrice" | "outputPrice" | "cachedInputPrice",
    label: string,
    placeholder = "",
  ) => (
    <TextInput
      label={label}
      name={name}
      inputMode="numeric"
      placeholder={placeholder}
      value={form[name]}
      error={edited.error(name)}
      onChange={(value) => edited.change({ ...form, [name]: value })}
    />
  );
  return (
    <fieldset className="plain">
      <legend>Prices of a million tokens</legend>
      <p className="hint">
        From your provider’s price list. Without them tokens are counted, money is not.
      </p>
      <div className="settings-row">
        {price("inputPrice", "Read")}
        {price("cachedInputPrice", "Read from its cache", "usual part")}
        {price("outputPrice", "Written")}
        <TextInput
          label="Currency"
          name="currency"
          maxLength={3}
          placeholder="USD"
          value={form.currency}
          error={edited.error("currency")}
          onChange={(currency) => edited.change({ ...form, currency })}
        />
      </div>
    </fieldset>
  );
}

/** Where the model is, what it is called, its key and its prices. */
export function ModelFields(props: Props): ReactElement {
  const { edited } = props;
  const { form } = edited;
  const preset = presetOf(form.preset);
  const own = preset.address === null;
  return (
    <>
      <ProviderChoice {...props} />
      <div className="settings-row wide">
        <TextInput
          label="Model"
          name="id"
          hint={preset.example === "" ? "As the server calls it." : `Such as ${preset.example}.`}
          value={form.id}
          error={edited.error("id")}
          onChange={(id) => edited.change({ ...form, id })}
        />
        <TextInput
          label={own ? "Another address" : "Address"}
          name="baseUrl"
          inputMode="url"
          hint={
            own
              ? `For a proxy of yours. Empty is ${preset.label}’s.`
              : "Ends in /v1. Asked by this server."
          }
          value={form.baseUrl}
          error={edited.error("baseUrl")}
          onChange={(baseUrl) => edited.change({ ...form, baseUrl })}
        />
      </div>
      <TextInput
        label="Tokens it takes at once"
        name="windowTokens"
        inputMode="numeric"
        placeholder={preset.provider === "openai-compatible" ? "32,000" : "150,000"}
        hint="Its context window. A model on your own machine may take fewer than it could: as many as its server is set to."
        value={form.windowTokens}
        error={edited.error("windowTokens")}
        onChange={(windowTokens) => edited.change({ ...form, windowTokens })}
      />
      <KeyField {...props} />
      <Prices {...props} />
    </>
  );
}
