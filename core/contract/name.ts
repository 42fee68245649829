import { z } from "zod";

/** The name of an agent, a channel or a tenant: part of addresses, subjects and keys, so it is kept plain. */
export const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: 'must be lower-case letters, digits and "-", and begin with a letter or digit',
  })
  .max(40);
