import type { Backbone } from "../../contract/ports/backbone.ts";
import { HealthListeners } from "../health-listeners.ts";
import { checkLayout, checkReplicas } from "./check-deployment.ts";
import { NatsConnector } from "./connection/nats-connector.ts";
import { type NatsBackboneOptions, natsOptions } from "./connection/nats-options.ts";
import { FormatMark } from "./format-mark.ts";
import { KvBucket } from "./kv/kv-bucket.ts";
import { Sweeper } from "./kv/sweeper.ts";
import { NatsBus, NatsPublisher } from "./nats-bus.ts";
import { natsNames } from "./nats-names.ts";
import { NatsSignals } from "./nats-signals.ts";
import { NatsStore } from "./nats-store.ts";
import { PartitionRaise } from "./partition-raise.ts";
import { ConsumerGroups, PartitionLayout } from "./partitions/index.ts";
import { WriteHealth } from "./write-health.ts";

/**
 * Bus and store on NATS JetStream. Resolves also if the server is unreachable: health() reports it, operations wait
 * up to their timeout, and consumers attach once it is reachable. A fault that a retry cannot fix (refused credentials, no
 * JetStream, more replicas than nodes, another number of partitions) rejects with "bad-configuration"; if it shows later,
 * health() and operations report it.
 */
export const openNatsBackbone = async (given: NatsBackboneOptions): Promise<Backbone> => {
  const options = natsOptions(given);
  const { clock, replicas } = options;
  const names = natsNames(options.prefix);
  const layout = new PartitionLayout([options.partitions]);
  const connector: NatsConnector = new NatsConnector(options, async (session) => {
    await checkReplicas(session, partitionsBucket, options);
    await checkLayout(session, partitionsBucket, options.partitions, layout);
  });
  const partitionsBucket = new KvBucket(connector, { name: names.partitionsBucket, replicas });
  const store = new NatsStore({ connector, names, replicas, clock });
  const publisher = new NatsPublisher(connector, names, options, layout);
  const signals = new NatsSignals(connector, names, options);
  const ensureStream = publisher.ensureStream.bind(publisher);
  const groups = new ConsumerGroups({ connector, names, options, store, partitionsBucket, layout, ensureStream });
  const bus = new NatsBus({ publisher, groups, signals });
  const sweeper = new Sweeper(connector, partitionsBucket, options);
  const healthBucket = new KvBucket(connector, { name: names.healthBucket, replicas });
  const listeners = new HealthListeners();
  const writes = new WriteHealth(connector, healthBucket, { ...options, changed: () => listeners.notify() });
  const membersBucket = new KvBucket(connector, { name: names.membersBucket, replicas });
  const formatMark = new FormatMark({ partitionsBucket, membersBucket, options });
  const raise = new PartitionRaise({ partitionsBucket, membersBucket, options });
  await connector.open();
  sweeper.start();
  formatMark.start();
  raise.start();
  let closing: Promise<void> | undefined;
  return {
    bus,
    store,
    health: () => {
      const health = connector.health();
      if (!health.ok) return health;
      const reason = writes.problem ?? (groups.isAttached ? groups.unread : NOT_ATTACHED);
      return reason === undefined ? health : { ok: false, reason };
    },
    writeProblem: () => writes.outage,
    onHealthChange: (listener) => listeners.add(listener),
    queues: () => groups.queues(),
    close: () => {
      closing ??= (async () => {
        writes.stop();
        const swept = Promise.all([sweeper.stop(), formatMark.stop(), raise.stop()]);
        await bus.close();
        await connector.close();
        await swept;
      })();
      return closing;
    },
  };
};

const NOT_ATTACHED = "connected to NATS, but the consumers are not attached yet";
