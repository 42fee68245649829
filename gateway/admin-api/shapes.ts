import { z } from "zod";

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().optional(),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Lists that one agent can be chosen for. */
export const AgentPageQuery = PageQuery.extend({ agent: z.string().optional() });

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** The body of every response with an error status. */
export interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
  /** Consequences that the operator must confirm. */
  readonly expect?: readonly string[];
}

/** A fixed set of values for the compiler. Clients accept any text, because a newer gateway may send other values. */
export const oneOf = <T extends string>() => z.string() as unknown as z.ZodType<T, T>;

/** Typed, but not validated by clients: `mooring trace` does not print it. */
export const unchecked = <T>() => z.any().optional() as unknown as z.ZodType<T, T>;

/** A conversation; deliveries are listed without its kind. */
export const ConversationAddress = z.object({
  channel: z.string(),
  workspace: z.string().optional(),
  room: z.string(),
  thread: z.string().optional(),
  kind: unchecked<"private" | "shared">().optional(),
});
export type ConversationAddress = z.infer<typeof ConversationAddress>;

export const Origin = z.object({
  channel: unchecked<string>(),
  promptSummary: z.string(),
  startedAt: unchecked<string>(),
  sessionId: unchecked<string | null>(),
  link: unchecked<string>().optional(),
});
export type Origin = z.infer<typeof Origin>;

export const Asker = z.object({
  personId: unchecked<string>(),
  accountId: unchecked<string>(),
  name: z.string(),
});
export type Asker = z.infer<typeof Asker>;
