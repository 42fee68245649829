import { busContract } from "../../contract/bus.contract.ts";
import { busDeathsContract } from "../../contract/bus-deaths.contract.ts";
import { natsHarness } from "../../contract/nats-harness.ts";
import { storeContract } from "../../contract/store.contract.ts";

storeContract(natsHarness);
busContract(natsHarness);
busDeathsContract(natsHarness);
