/**
 * Making a worker blocks its parent's event loop for 15–30 ms. The gate lets one worker through at a
 * time, and a turn of the event loop between two, whoever asks.
 */
let last: Promise<void> = Promise.resolve();

/**
 * Waits for its turn, then calls `spawn`.
 *
 * @param spawn Makes the worker. It may do nothing if it is not wanted any more.
 * @returns What `spawn` returns or throws.
 */
export function throughSpawnGate<Result>(spawn: () => Result): Promise<Result> {
  const result = last.then(spawn);
  last = result.then(nextTurn, nextTurn);
  // Part of the result, so that nobody who awaited it leaves a timer behind.
  return Promise.allSettled([result, last]).then(() => result);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
