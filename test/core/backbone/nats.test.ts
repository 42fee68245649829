import { busContract } from "../../contract/bus.contract.ts";
import { busCrashesContract } from "../../contract/bus-crashes.contract.ts";
import { natsHarness } from "../../contract/nats-harness.ts";
import { storeContract } from "../../contract/store.contract.ts";

storeContract(natsHarness);
busContract(natsHarness);
busCrashesContract(natsHarness);
