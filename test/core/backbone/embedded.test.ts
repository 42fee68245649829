import { busContract } from "../../contract/bus.contract.ts";
import { busDeathsContract } from "../../contract/bus-deaths.contract.ts";
import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { storeContract } from "../../contract/store.contract.ts";

storeContract(embeddedHarness);
busContract(embeddedHarness);
busDeathsContract(embeddedHarness);
