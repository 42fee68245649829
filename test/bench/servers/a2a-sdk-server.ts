import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Message, Task, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from "@a2a-js/sdk/server";
import { fastify } from "fastify";
import { z } from "zod";
import { BackboneConfig } from "../../../core/backbone/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";
import { agentCard } from "../../../gateway/a2a/agent-card.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { filler } from "../filler.ts";
import { answerQuestions } from "./answer-questions.ts";

/**
 * The SDK with its defaults, in Fastify, with an agent that answers at once. Its tasks are in the same store as ours,
 * with as many writes and bytes: two by the executor, three for the states of the task.
 */
const dataDir = await mkdtemp(join(tmpdir(), "a2a-sdk-bench-"));
const [natsUrl] = process.argv.slice(2);
const config = BackboneConfig.parse(natsUrl ? { nats: { servers: [natsUrl] } } : "embedded");
const backbone = await openBackbone(config, { dataDir, clock, logger });
await whenHealthy(backbone, clock, new AbortController().signal);
const { store } = backbone;
const records = collection("bench", z.looseObject({}));

class StoredTasks extends InMemoryTaskStore {
  override async save(task: Task, context: ServerCallContext): Promise<void> {
    await store.put(keyOf(records, "task", task.id), Task.toJSON(task) as Record<string, unknown>);
    await super.save(task, context);
  }
}

const text = (value: string): Message["parts"][number] => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const said = { text: userMessage.parts[0]?.content?.value ?? "" };
    const { message, turn } = filler.a2a;
    await store.put(keyOf(records, "message", taskId), { ...said, filler: message }, { ifRevision: 0 });
    await store.put(keyOf(records, "turn", taskId), { ...said, filler: turn }, { ifRevision: 0 });
    const status = (state: TaskState) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const common = { contextId, metadata: undefined };
    const history = [userMessage];
    bus.publish(
      AgentEvent.task({
        ...common,
        id: taskId,
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history,
      }),
    );
    const artifact = {
      artifactId: "answer",
      name: "",
      description: "",
      parts: [text("Noted.")],
      metadata: undefined,
      extensions: [],
    };
    bus.publish(AgentEvent.artifactUpdate({ ...common, taskId, artifact, append: false, lastChunk: true }));
    bus.publish(AgentEvent.statusUpdate({ ...common, taskId, status: status(TaskState.TASK_STATE_COMPLETED) }));
    bus.finished();
  },
  cancelTask: async () => {},
};

const card = agentCard({ name: "bench", tenant: "default", skills: [] }, "http://127.0.0.1");
const transport = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new StoredTasks(), executor));
const app = fastify({ genReqId: () => randomUUID() });
app.post("/a2a/bench", (request) => {
  const user = { isAuthenticated: true, userName: "bench" };
  return transport.handle(
    request.body as Record<string, unknown>,
    new ServerCallContext({ user, requestedVersion: "1.0" }),
  );
});
await app.listen({ host: "127.0.0.1", port: 0 });

answerQuestions((app.server.address() as AddressInfo).port, {}, async () => {
  await app.close();
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});
