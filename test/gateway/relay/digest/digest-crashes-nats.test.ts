import { natsData } from "../backbone-data.ts";
import { digestCrashes } from "./digest-crashes.ts";

digestCrashes("NATS", natsData());
