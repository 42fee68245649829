import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { paperHarness } from "./paper-harness.ts";

channelAdapterContract("paper, which repeats", paperHarness({ resend: "repeats", reconciling: false }));
channelAdapterContract("paper, which can be asked", paperHarness({ resend: "repeats", reconciling: true }));
channelAdapterContract("paper, which recognises repeats", paperHarness({ resend: "idempotent", reconciling: false }));
