/** Binary search for the first index whose id is at least `id`; `rowIds` ascend. */
export function rowIndexOf(rowIds: BigUint64Array, id: bigint): number {
  let low = 0
  let high = rowIds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rowIds[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

export function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length)
}
