import { embeddedData } from "../backbone-data.ts";
import { digestCrashes } from "./digest-crashes.ts";

digestCrashes("the embedded backbone", embeddedData);
