import { natsHarness } from "../../contract/nats-harness.ts";
import { peerGuarantees } from "./peer-guarantees.ts";

peerGuarantees(natsHarness);
