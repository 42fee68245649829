import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { paperHarness } from "./paper-harness.ts";

channelAdapterContract("paper, which repeats", paperHarness({ resend: "repeats" }));
channelAdapterContract("paper, which can be asked", paperHarness({ resend: "repeats", ability: "reconciling" }));
channelAdapterContract("paper, which recognises repeats", paperHarness({ resend: "idempotent" }));
channelAdapterContract("paper, where rooms can move", paperHarness({ resend: "repeats", ability: "moving" }));
channelAdapterContract("paper, where posts can be changed", paperHarness({ resend: "repeats", ability: "editing" }));
