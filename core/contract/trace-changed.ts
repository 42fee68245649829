import { z } from "zod";

/** Not stored: a piece of work has got on, and whoever watches it may look. */
export const TraceChanged = z.looseObject({ traceId: z.string() });
export type TraceChanged = z.infer<typeof TraceChanged>;
