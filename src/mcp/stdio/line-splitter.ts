type LineSink = {
  onLine(line: string): void
  /** Receives the beginning and the end of a line that is too long. */
  onTooLong(head: string, tail: string): void
}

/** Bytes kept of each end of a line that is too long. */
const keptBytes = 256

/** Splits bytes at line feeds. Keeps only both ends of a line over `maxBytes`. */
export function splitLines(
  maxBytes: number,
  { onLine, onTooLong }: LineSink,
): (bytes: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let head: string | null = null
  const take = (part: Buffer) => {
    parts.push(part)
    size += part.length
    if (size <= maxBytes && head === null) return
    const all = Buffer.concat(parts)
    head ??= all.toString('utf8', 0, keptBytes)
    // Copied, because a view would keep the whole line in memory.
    parts = [Buffer.from(all.subarray(-keptBytes))]
  }
  const finish = () => {
    const line = Buffer.concat(parts).toString('utf8')
    if (head === null) onLine(line)
    else onTooLong(head, line)
    parts = []
    size = 0
    head = null
  }
  return (bytes) => {
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      take(bytes.subarray(from, at))
      finish()
      from = at + 1
    }
    if (from < bytes.length) take(bytes.subarray(from))
  }
}
