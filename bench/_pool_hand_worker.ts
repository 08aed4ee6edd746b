/** The other side of the pools written by hand, and of the bare worker. */

const scope = self as unknown as {
  onmessage: (event: MessageEvent) => void;
  postMessage: (message: unknown) => void;
};

scope.onmessage = ({ data }) => {
  if (typeof data !== "object") return scope.postMessage(data);
  if (Array.isArray(data)) {
    for (let index = 1; index < data.length; index += 2) data[index] = answer(data[index]);
    return scope.postMessage(data);
  }
  if ("hold" in data) return void hold(data.hold);
  scope.postMessage({ id: data.id, value: answer(data.value) });
};

function answer(value: unknown): unknown {
  return value instanceof ArrayBuffer ? value.byteLength : value;
}

async function hold(lock: string): Promise<void> {
  const { holdForEver } = await import("./_pool_lock.ts");
  await holdForEver(lock);
}
