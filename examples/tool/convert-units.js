import { defineTool } from "mooring/tool";
import { z } from "zod";

const METRES = { m: 1, km: 1_000, mile: 1_609.344, foot: 0.3048 };
const Unit = z.enum(["m", "km", "mile", "foot"]);

/** Converts a length. It changes nothing, so a call that a crash interrupted may run again. */
export const convertUnits = defineTool({
  name: "convert_length",
  description: "Converts a length between metres, kilometres, miles and feet. Use it instead of calculating.",
  input: z.object({
    value: z.number().describe("The length."),
    from: Unit.describe("The unit of the length."),
    to: Unit.describe("The unit of the result."),
  }),
  repeatable: true,
  timeoutMs: 1_000,
  async run({ value, from, to }, { progress }) {
    progress(`converting ${from} to ${to}`);
    const result = (value * METRES[from]) / METRES[to];
    return { text: `${value} ${from} = ${result} ${to}`, structured: { value: result, unit: to } };
  },
});
