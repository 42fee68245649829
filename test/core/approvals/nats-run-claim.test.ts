import { natsHarness } from "../../contract/nats-harness.ts";
import { runClaimContract } from "./run-claim.ts";

runClaimContract(natsHarness);
