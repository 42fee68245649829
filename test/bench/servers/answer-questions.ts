import { ownCpu } from "../measure.ts";

export type Answers = Readonly<Record<string, (about: string) => number | Promise<number>>>;

/** In a server's process: says where it listens, then answers what the bench asks until it is told to stop. */
export const answerQuestions = (port: number, answers: Answers, stop: () => Promise<void>): void => {
  process.on("message", ({ id, question, about }: { id: number; question: string; about: string }) => {
    const answer = question === "cpu" ? ownCpu : answers[question];
    void (async () => process.send?.({ id, answer: await answer?.(about) }))();
  });
  process.once("disconnect", () => void stop().finally(() => process.exit(0)));
  process.send?.({ port });
};

/** Bytes that live objects take, outside the heap too. Wants --expose-gc. */
export const memoryInUse = (): number => {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
