import { type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import type { ModelChoice } from "./model-choice.ts";

/** A model object; excludes strings, which would be sent to a hosted gateway. */
export type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Params = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["transformParams"]>>>;
type Prompt = Params["prompt"];

const unseen =
  "(There is an image here that this model can't see. If it matters, say that you haven't seen it.)";

function withoutTools(params: Params): Params {
  const supported = { ...params };
  delete supported.tools;
  delete supported.toolChoice;
  return supported;
}

function withoutImages(prompt: Prompt): Prompt {
  return prompt.map((message) =>
    message.role === "user"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "file" && part.mediaType.startsWith("image/")
              ? { type: "text" as const, text: unseen }
              : part,
          ),
        }
      : message,
  );
}

/**
 * The model, used only for what tests have shown that it can do: without tool support it gets no
 * tools (some servers refuse such requests), and without vision it gets a note in place of each
 * image.
 */
export function limitToAbilities(model: Model, abilities: ModelChoice["abilities"]): Model {
  if (abilities === null || (abilities.tools && abilities.images)) return model;
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      async transformParams({ params }) {
        const supported = abilities.tools ? params : withoutTools(params);
        return abilities.images
          ? supported
          : { ...supported, prompt: withoutImages(supported.prompt) };
      },
    },
  });
}
