/** A source that a controller has. */
export interface ControllerSource {
  /** What it is called. */
  readonly name: string;
  /**
   * `"starting"` until all that was there at the beginning is queued, then `"synced"`; `"failed"` while
   * it waits for another try; `"ended"` when there is nothing more to come from it.
   */
  readonly state: "starting" | "synced" | "failed" | "ended";
  /**
   * Takes it away from its controller. No key of it is added any more as soon as this was called; keys
   * that are queued stay so.
   *
   * @returns Resolves when it has ended.
   */
  remove(): Promise<void>;
}
