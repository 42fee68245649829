import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadIdentity, pushTokenOf } from "../../core/a2a/identity.ts";
import { peerEventRoute } from "../../gateway/a2a/http/peer-event-route.ts";
import { toHttpError } from "../../gateway/http/error-responses.ts";
import { asks, theCall, untilUnsolicited } from "../core/a2a/peers-under-test.ts";
import { type RemotePair, startRemote, stopRemote, to } from "../core/a2a/remote/remote-under-test.ts";
import { TaskState } from "../fakes/a2a/sdk-agent.ts";
import { Gate } from "../fakes/model-answer.ts";
import { freePort } from "../setup/free-port.ts";

let pair: RemotePair;
let app: FastifyInstance;
let counted: Gate;
let publicUrl: string;
beforeEach(async () => {
  counted = new Gate();
  const port = await freePort();
  publicUrl = `http://127.0.0.1:${port}`;
  pair = await startRemote(
    asks(to("count them", "task_delegate")),
    async (work) => {
      work.status(TaskState.TASK_STATE_WORKING, "counting");
      await counted.opened;
      work.answer("three");
    },
    { publicUrl, remoteAgent: { capabilities: { pushNotifications: true } } },
  );
  app = fastify();
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toHttpError(error);
    return reply.code(status).send(body);
  });
  await peerEventRoute(pair.core.backbone)(app);
  await app.listen({ host: "127.0.0.1", port });
  await pair.core.ask("m-1", "go");
});
afterEach(async () => {
  await app.close();
  await stopRemote(pair);
});

const looks = (): number => pair.remote.requests.filter((method) => method === "GetTask").length;

const agreedToken = async (): Promise<string> =>
  pushTokenOf(await loadIdentity(pair.core.backbone.store), await theCall(pair.core));

/** Sends a notification that falsely claims the end of the task. */
const callBack = async (token: string): Promise<number> => {
  const { id, remote } = await theCall(pair.core);
  const body = { statusUpdate: { taskId: remote?.taskId, status: { state: "TASK_STATE_COMPLETED" } }, said: "forty" };
  const response = await fetch(`${publicUrl}/a2a-events/default/mooring/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-a2a-notification-token": token },
    body: JSON.stringify(body),
  });
  return response.status;
};

describe("given a remote agent with push notifications, while no polling timer fires", () => {
  it("when it sends a notification, then its task is polled and the answer delivered (A9)", async () => {
    counted.release();
    const [reply, ...more] = await untilUnsolicited(pair.core);
    expect(reply?.markdown).toBe("told: three");
    expect(more).toEqual([]);
    expect(looks()).toBeGreaterThan(0);
    expect(pair.remote.received).toHaveLength(1);
  });

  it("when the notification has false content, then only the polled task counts", async () => {
    const before = looks();
    expect(await callBack(await agreedToken())).toBe(202);
    while (looks() === before) await new Promise(setImmediate);
    counted.release();
    expect((await untilUnsolicited(pair.core)).map(({ markdown }) => markdown)).toEqual(["told: three"]);
  });

  it("when the notification has a wrong token, then it is refused", async () => {
    expect(await callBack("forged")).toBe(401);
    counted.release();
    expect((await untilUnsolicited(pair.core)).map(({ markdown }) => markdown)).toEqual(["told: three"]);
  });
});
