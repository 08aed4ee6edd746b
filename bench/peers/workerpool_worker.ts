import workerpool from "npm:workerpool@10.0.3";
import { echo, hold, measure } from "./tasks.ts";

workerpool.worker({ echo, hold, measure });
