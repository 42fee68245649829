import { natsHarness } from "../../contract/nats-harness.ts";
import { peerPromises } from "./peer-promises.ts";

peerPromises(natsHarness);
