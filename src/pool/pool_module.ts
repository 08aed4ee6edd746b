import type { TaskContext } from "../worker/context.ts";

/** The names of the functions that a module exports. */
export type PoolCall<Module> = keyof {
  [
    Name in keyof Module & string as Module[Name] extends
      (input: never, ctx: TaskContext) => unknown ? Name : never
  ]: true;
};

/** The input of a function that a module exports. */
export type PoolInput<Module, Name extends PropertyKey> = Name extends keyof Module
  ? Module[Name] extends (...args: infer Args) => unknown ? Args extends [] ? undefined : Args[0]
  : never
  : never;

/** What a function that a module exports resolves to. */
export type PoolOutput<Module, Name extends PropertyKey> = Name extends keyof Module
  ? Module[Name] extends (...args: never[]) => infer Output ? Awaited<Output> : never
  : never;

/** The arguments of a run: the input may be left out where it may be undefined. */
export type PoolRunArguments<Input, Options> = undefined extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options];
