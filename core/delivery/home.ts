import { z } from "zod";
import { Name } from "../contract/name.ts";

/** Where results go that have no person to go to, as the configuration says it. */
export const Home = z.union([
  z.strictObject({ person: z.string().min(1) }),
  z.strictObject({
    channel: Name,
    workspace: z.string().min(1).optional(),
    room: z.string().min(1),
    thread: z.string().min(1).optional(),
  }),
]);
export type Home = z.infer<typeof Home>;
