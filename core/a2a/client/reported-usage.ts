import { z } from "zod";

/** The tokens of an answer, as far as the remote agent reports them. */
export interface ReportedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const Count = z.int().nonnegative().max(1_000_000_000);

/** The spellings of common model APIs; the protocol itself has no field for it. */
const Usage = z.union([
  z.looseObject({ inputTokens: Count, outputTokens: Count }),
  z
    .looseObject({ input_tokens: Count, output_tokens: Count })
    .transform((usage) => ({ inputTokens: usage.input_tokens, outputTokens: usage.output_tokens })),
  z
    .looseObject({ prompt_tokens: Count, completion_tokens: Count })
    .transform((usage) => ({ inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens })),
]);

type Metadata = Readonly<Record<string, unknown>> | undefined;

/** The first valid `usage` in these metadata. */
export const usageIn = (...all: readonly Metadata[]): { readonly usage?: ReportedUsage } => {
  for (const metadata of all) {
    const { data } = Usage.safeParse(metadata?.usage);
    if (data) return { usage: { inputTokens: data.inputTokens, outputTokens: data.outputTokens } };
  }
  return {};
};
