import { Rights } from "../../core/rights/index.ts";

/** The permit of a member with the default rights. */
export const memberPermit = new Rights().permit({ causes: [{ speaker: "member" }] });
