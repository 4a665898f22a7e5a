import type { ReactElement } from "react";

import { Select } from "../../ui/Select.tsx";
import { TextInput, type TextInputProps } from "../../ui/TextInput.tsx";
import type { EditedForm } from "../forms/useForm.ts";
import { type EmailForm, emailProviders, type EmailView } from "./email-form.ts";

interface Props {
  edited: EditedForm<EmailForm>;
  email: EmailView;
}

type TextName = Exclude<keyof EmailForm, "provider" | "secure">;

function Text(
  props: Props & {
    name: TextName;
    label: string;
    /** The server's name of the field, if it differs. */
    at?: string;
  } & Pick<TextInputProps, "hint" | "type" | "aside" | "inputMode" | "placeholder">,
): ReactElement {
  const { edited, email: _email, name, at, ...rest } = props;
  return (
    <TextInput
      {...rest}
      {...edited.field(name, at)}
      autoComplete={rest.type === "password" ? "new-password" : "off"}
    />
  );
}

function Provider(props: Props): ReactElement {
  const { edited, email } = props;
  const { provider } = edited.form;
  const kept = email.providerKeySet && email.provider === provider;
  return (
    <fieldset className="plain">
      <legend>Email provider</legend>
      <div className="settings-row wide">
        <Select {...edited.field("provider")} label="Provider" options={emailProviders} />
        {provider === "mailgun" && (
          <Text {...props} name="providerDomain" label="Domain" placeholder="mg.example.com" />
        )}
        {provider === "generic" && (
          <Text {...props} name="providerUrl" label="Address" inputMode="url" />
        )}
        {provider !== "" && (
          <Text
            {...props}
            name="providerKey"
            label="API key"
            type="password"
            aside={<span>{kept ? "Set" : "Not set"}</span>}
          />
        )}
      </div>
    </fieldset>
  );
}

function Smtp(props: Props): ReactElement {
  const { edited, email } = props;
  const { form } = edited;
  return (
    <fieldset className="plain">
      <legend>SMTP server</legend>
      <div className="settings-row wide">
        <Text {...props} name="host" at="smtp.host" label="Host" placeholder="None" />
        {form.host.trim() !== "" && (
          <>
            <Text {...props} name="port" at="smtp.port" label="Port" inputMode="numeric" />
            <Text {...props} name="user" at="smtp.user" label="User name" />
            <Text
              {...props}
              name="password"
              at="smtp.password"
              label="SMTP password"
              type="password"
              aside={<span>{email.smtp?.passwordSet ? "Set" : "Not set"}</span>}
            />
          </>
        )}
      </div>
      {form.host.trim() !== "" && (
        <label className="check">
          <input
            type="checkbox"
            name="smtp.secure"
            checked={form.secure}
            onChange={(event) => edited.change({ ...form, secure: event.target.checked })}
          />
          <span>
            Use TLS from the start (port 465). Otherwise, encryption starts with STARTTLS, which a
            server on another machine has to offer if you enter a password.
          </span>
        </label>
      )}
    </fieldset>
  );
}

/** Where email goes, its sender, and its transports. */
export function EmailFields(props: Props): ReactElement {
  return (
    <>
      <div className="settings-row wide">
        <Text
          {...props}
          name="to"
          label="Your address"
          hint="Where the site sends email to you. Leave blank to turn off."
        />
        <Text
          {...props}
          name="from"
          label="Sender"
          hint="An address that your provider lets you send from."
          placeholder="Site <site@example.com>"
        />
      </div>
      <Provider {...props} />
      <Smtp {...props} />
    </>
  );
}
