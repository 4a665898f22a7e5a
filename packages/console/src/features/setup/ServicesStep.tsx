import { type ReactElement, useState } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { fieldSentence } from "../../api/field-errors.ts";
import { Button } from "../../ui/Button.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextInput } from "../../ui/TextInput.tsx";
import { StepForm, type StepProps } from "./StepFrame.tsx";
import { type Answers, type SetupView, useSaveAnswers } from "./useSetup.ts";

type Service = NonNullable<Answers["services"]>[number];

const empty: Service = { name: "", text: "", price: "" };
const maxServices = 12;

function ServiceFields(props: {
  service: Service;
  number: number;
  error(field: keyof Service): string | null;
  onChange(service: Service): void;
  onRemove(): void;
}): ReactElement {
  const { service, number, error, onChange } = props;
  return (
    <fieldset className="plain setup-service">
      <legend>Service {number}</legend>
      <TextInput
        label="Name"
        value={service.name}
        error={error("name")}
        maxLength={120}
        onChange={(name) => onChange({ ...service, name })}
      />
      <TextArea
        label="What it is (optional)"
        rows={2}
        value={service.text}
        error={error("text")}
        maxLength={400}
        onChange={(text) => onChange({ ...service, text })}
      />
      <TextInput
        label="Price (optional)"
        hint="As visitors should read it, such as “From $900” or “$80 an hour”."
        value={service.price}
        error={error("price")}
        maxLength={120}
        onChange={(price) => onChange({ ...service, price })}
      />
      <div className="actions">
        <Button label={`Remove service ${number}`} onClick={props.onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

const isEmpty = (service: Service) => Object.values(service).every((text) => text.trim() === "");

/** The owner's services; without any, the site has no services page. */
export function ServicesStep({ view, go }: StepProps & { view: SetupView }): ReactElement {
  const save = useSaveAnswers();
  const [services, setServices] = useState<readonly Service[]>(view.answers.services ?? []);
  const [nameless, setNameless] = useState<readonly number[]>([]);
  const refusal = refusalOf(save.isError ? save.error : null);
  const submit = (): void => {
    const missing = services.flatMap((service, index) =>
      !isEmpty(service) && service.name.trim() === "" ? [index] : [],
    );
    setNameless(missing);
    if (missing.length > 0 || save.isPending) return;
    const filled = services.filter((service) => !isEmpty(service));
    save.mutate({ services: filled }, { onSuccess: () => go("theme") });
  };
  return (
    <StepForm
      step="services"
      label="Services"
      go={go}
      busy={save.isPending}
      refusal={refusal}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {services.length === 0 && (
        <p className="muted">
          No services yet. If you don’t offer any, continue. Your site then has no services page and
          shows no prices.
        </p>
      )}
      {services.map((service, index) => (
        <ServiceFields
          key={index}
          service={service}
          number={index + 1}
          error={(field) =>
            field === "name" && nameless.includes(index)
              ? "Enter a name for this service, or remove it."
              : fieldSentence(refusal?.fields[`services.${index}.${field}`])
          }
          onChange={(next) => setServices(services.with(index, next))}
          onRemove={() => setServices(services.toSpliced(index, 1))}
        />
      ))}
      {services.length < maxServices && (
        <div className="actions">
          <Button icon="add" onClick={() => setServices([...services, empty])}>
            Add service
          </Button>
        </div>
      )}
    </StepForm>
  );
}
