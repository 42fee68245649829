import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { makeDelivery } from "../make-delivery.ts";
import type { WebGateway } from "../web-gateway.ts";
import { startWebGateway } from "../web-gateway.ts";

const subjects = subjectsOf("default");

/** A gateway whose messages and signals go over a real bus, and its log into a real store. */
export const startOnBackbone = async ({ bus, store }: Backbone): Promise<WebGateway> => {
  const gateway = await startWebGateway({
    store,
    inbox: {
      async accept(message) {
        const options = { id: message.id, key: conversationKey(message.conversation) };
        await bus.publish(subjects.userMessage("mooring"), message, options);
      },
    },
    signal: (signal) => bus.signal(subjects.userSignal("mooring"), signal),
  });
  const listener = await bus.listen(subjects.userSignal("mooring"), (signal) => gateway.adapter.onSignal(signal));
  return {
    ...gateway,
    async stop() {
      listener.close();
      await gateway.stop();
    },
  };
};

/** Answers every message through the next gateway, in turn. */
export const startEcho = ({ bus }: Backbone, gateways: readonly WebGateway[]) => {
  let turn = 0;
  return bus.consume(
    subjects.userMessage("mooring"),
    { durable: "echo", concurrency: 8 },
    async (message, { attempt }) => {
      const gateway = gateways[turn++ % gateways.length] as WebGateway;
      const createdAt = new Date().toISOString();
      const reply = { correlationId: message.id, markdown: `echo ${message.text}`, createdAt };
      await gateway.adapter.deliver(
        makeDelivery(message.conversation.room, `re:${message.id}`, { reply, mayRepeat: attempt > 1 }),
      );
      return ack;
    },
  );
};
