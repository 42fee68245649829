import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { natsHarness } from "../../contract/nats-harness.ts";
import { takeoverContract } from "./takeover.contract.ts";

takeoverContract(embeddedHarness);
takeoverContract(natsHarness);
