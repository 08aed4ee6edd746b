import * as Comlink from "npm:comlink@4.4.2";
import * as tasks from "./tasks.ts";

Comlink.expose(tasks);
