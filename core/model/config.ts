import { z } from "zod";
import { secret } from "../contract/secret.ts";

export const ModelConfig = z
  .union([
    z.literal("demo"),
    z.strictObject({
      provider: z.enum(["openai-compatible", "anthropic"]),
      model: z.string().min(1),
      baseUrl: z.string().min(1).optional(),
      apiKey: secret().optional(),
    }),
  ])
  .describe('"demo" needs no key and no network.');
export type ModelConfig = z.infer<typeof ModelConfig>;
