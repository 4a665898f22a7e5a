import { type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import type { ModelChoice } from "./model-choice.ts";

/** A model as an object. A string would be sent to a hosted gateway, so it is none. */
export type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Params = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["transformParams"]>>>;
type Prompt = Params["prompt"];

const unseen =
  "(A picture stands here that you can't be shown. Where it matters, say that you did not see it.)";

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
 * The model, asked only what it was seen to be able to do: one that can't call tools is offered none
 * (some servers refuse the whole request), one that can't see is told where an image stands.
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
