import { z } from "zod";
import { collection } from "../../../../core/contract/ports/store.ts";
import { subject } from "../../../../core/contract/ports/subject.ts";

export const counted = (name = "orders") => subject("default", "test.counted", z.looseObject({ n: z.number() }), name);
export const notes = collection("notes", z.looseObject({ text: z.string() }));
