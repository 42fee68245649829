import { ownCpu } from "../measure.ts";

export type Answers = Readonly<Record<string, (about: string) => number | Promise<number>>>;

/** In the process of a server: reports its address, then answers requests of the bench until it is stopped. */
export const answerQuestions = (port: number, answers: Answers, stop: () => Promise<void>): void => {
  process.on("message", ({ id, question, about }: { id: number; question: string; about: string }) => {
    const answer = question === "cpu" ? ownCpu : answers[question];
    void (async () => process.send?.({ id, answer: await answer?.(about) }))();
  });
  process.once("disconnect", () => void stop().finally(() => process.exit(0)));
  process.send?.({ port });
};

/** Bytes of live objects, outside the heap too. Needs --expose-gc. */
export const memoryInUse = (): number => {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
