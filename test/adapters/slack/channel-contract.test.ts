import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { slackHarness } from "./slack-harness.ts";

channelAdapterContract("Slack over HTTP", slackHarness("http"));
channelAdapterContract("Slack in Socket Mode", slackHarness("socket"));
