import { z } from "zod";

/** The id of a subtask as a model gives it: any, as long as it may be looked for. */
export const GivenId = z.string().max(100);
