import type { StreamResponse } from "@a2a-js/sdk";
import { hasEnded, type InboundTask, isAtRest } from "../../../core/a2a/inbound/index.ts";
import type { Delta, TaskWatcher } from "./task-watch.ts";
import { answerArtifact, toWire, wireStatus } from "./to-wire.ts";

interface EventOptions {
  readonly historyLength?: number | undefined;
  /** The client sent no message: a task that waits for input may continue because of another request. */
  readonly isResubscription?: boolean;
  read(): Promise<InboundTask | undefined>;
}

/** The task, then its changes until it has ended or needs input, or until the client disconnects. */
export async function* taskEvents(
  first: InboundTask,
  watcher: TaskWatcher,
  { read, historyLength, isResubscription = false }: EventOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  const text = new StreamedAnswer();
  let known = first;
  yield { payload: { $case: "task", value: toWire(first, historyLength) } };
  while (!watcher.isClosed) {
    if (hasEnded(known) || (isAtRest(known) && !(isResubscription && known === first))) return;
    const mayHaveChanged = await watcher.waitForChange();
    for (const delta of watcher.takeDeltas()) {
      const piece = text.next(delta);
      if (piece !== undefined) yield artifactUpdate(known, piece.text, { append: piece.append, lastChunk: false });
    }
    if (!mayHaveChanged) continue;
    const task = await read();
    if (task === undefined) return;
    if (task.changes === known.changes) continue;
    known = task;
    if (task.answer !== undefined) yield artifactUpdate(task, task.answer, { append: false, lastChunk: true });
    yield statusUpdate(task);
  }
}

export const statusUpdate = (task: InboundTask): StreamResponse => ({
  payload: {
    $case: "statusUpdate",
    value: { taskId: task.id, contextId: task.contextId, status: wireStatus(task), metadata: undefined },
  },
});

const artifactUpdate = (
  { id: taskId, contextId }: InboundTask,
  text: string,
  { append, lastChunk }: { append: boolean; lastChunk: boolean },
): StreamResponse => ({
  payload: {
    $case: "artifactUpdate",
    value: { taskId, contextId, artifact: answerArtifact(text), append, lastChunk, metadata: undefined },
  },
});

/** Orders the pieces of an answer. After a gap it drops the rest of the attempt, because the whole answer follows. */
class StreamedAnswer {
  #attempt = -1;
  #length = 0;

  next({ attempt, offset, text }: Delta): { text: string; append: boolean } | undefined {
    if (attempt > this.#attempt && offset === 0) {
      this.#attempt = attempt;
      this.#length = text.length;
      return { text, append: false };
    }
    if (attempt !== this.#attempt || offset !== this.#length) return undefined;
    this.#length += text.length;
    return { text, append: true };
  }
}
