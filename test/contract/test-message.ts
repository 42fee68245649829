import { z } from "zod";
import type { Subject } from "../../core/contract/ports/subject.ts";
import { subject } from "../../core/contract/ports/subject.ts";

export const TestMessage = z.looseObject({ n: z.number(), text: z.string().optional() });
export type TestMessage = z.infer<typeof TestMessage>;

export const testSubject = (name: string): Subject<TestMessage> =>
  subject("default", "test.message", TestMessage, name);
