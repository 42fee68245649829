import { z } from "zod";

/** Not stored: how many messages of an agent wait in one core process. */
export const IntakeLoad = z.looseObject({ process: z.string(), waiting: z.number().int().min(0) });
export type IntakeLoad = z.infer<typeof IntakeLoad>;
